"""From a reply to statements: what is malformed is dropped, item by item, and counted by reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kb.extract.llm.schema import ITEM_KEYS
from kb.llm.json_text import json_items
from kb.model import Evidence, Statement
from kb.vocabulary import Vocabulary

__all__ = ["ReadReply", "ReplyParser", "merged"]

_LONGEST_NAME = 200
_ALIKE = 5
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class ReadReply:
    """Statements of a reply, each once; `repeated` are those that it makes again.

    `readable`: it has a list at all; `complete`: the list goes to its end.
    """

    statements: tuple[Statement, ...]
    readable: bool
    complete: bool
    dropped: Counter[str] = field(default_factory=Counter)
    repeated: int = 0

    @property
    def looping(self) -> bool:
        """Whether it mostly says again what it has said."""
        return self.repeated > max(_ALIKE, len(self.statements))


class ReplyParser:
    """Reads replies by the relations of an ontology."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._names: dict[str, str] = {}
        ambiguous: set[str] = set()
        worded: list[tuple[str, str]] = []
        for relation in vocabulary.relations.values():
            for one in (relation, relation.inverse):
                if one is None:
                    continue
                self._names[_folded(one.name)] = one.name
                worded += [(_folded(phrase), one.name) for phrase in (one.label, *one.phrases)]
        for words, name in worded:
            if self._names.setdefault(words, name) != name and words not in map(_folded, self._names.values()):
                ambiguous.add(words)
        for words in ambiguous:
            del self._names[words]

    def read(self, text: str, page: str) -> ReadReply:
        """The statements in a reply about a page, each once, in its order; quotes are yet to be found on the page."""
        found = json_items(text, ITEM_KEYS)
        dropped: Counter[str] = Counter()
        statements: dict[Statement, None] = {}
        for item in found.items:
            said = self._statement(item, page)
            if isinstance(said, str):
                dropped[said] += 1
            else:
                statements[said] = None
        repeated = len(found.items) - dropped.total() - len(statements)
        return ReadReply(tuple(statements), found.found, found.complete, dropped, repeated)

    def _statement(self, item: Any, page: str) -> Statement | str:
        """The statement that an item makes; else why it makes none."""
        if not isinstance(item, dict):
            return "not an object"
        by_key = {str(key).strip().casefold(): value for key, value in item.items()}
        values = [by_key.get(key) for key in ITEM_KEYS]
        if not all(isinstance(value, str) for value in values):
            return "a key missing or not text"
        subject, relation, object_, quote = (_clean(str(value)) for value in values)
        name = self._names.get(_folded(relation))
        if not subject or not object_:
            return "an empty name"
        if name is None:
            return "no relation of the ontology"
        if max(len(subject), len(object_)) > _LONGEST_NAME:
            return "a name too long"
        if subject.casefold() == object_.casefold():
            return "the same name twice"
        return Statement(subject, name, object_, page, Evidence(quote, -1, -1))


def _clean(text: str) -> str:
    return text.strip().encode("utf-8", "replace").decode("utf-8")


def _folded(name: str) -> str:
    """`onDisplay`, `on-display`, `On display` -> `on display`."""
    return " ".join(re.split(r"[\W_]+", _CAMEL.sub(" ", name.strip()).lower())).strip()


def merged(replies: Sequence[ReadReply]) -> tuple[Statement, ...]:
    """The statements of the parts of one page, each once."""
    return tuple(dict.fromkeys(said for reply in replies for said in reply.statements))
