"""The `phrases` reader: prose, lists, tables and keys read by the ontology's phrases and the catalogue's names."""

from __future__ import annotations

from kb.extract.phrases.reader import PhraseReader

__all__ = ["PhraseReader"]
