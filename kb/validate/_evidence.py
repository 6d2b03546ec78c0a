"""Which lines of which files are behind a validation result of a knowledge base."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from kb.graph.validation import Result
from kb.records import Reading, SourceRecord, load_records
from kb.validate.report import Place

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["Evidences"]

_LARGEST = 20_000_000
"""Bytes of the largest file that is looked into for a line."""


class Evidences:
    """Finds the statements that a result is about among what a generation accepted, and where they stand now."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._texts: dict[str, str | None] = {}
        self._about: dict[str, list[tuple[SourceRecord, Reading]]] = defaultdict(list)
        for record in load_records(kb.generation).values():
            for reading in record.accepted():
                if reading.edge is not None:
                    for end in {reading.edge[0], reading.edge[2]}:
                        self._about[end].append((record, reading))

    def of_result(self, result: Result) -> tuple[Place, ...]:
        """Sources and lines of the statements that caused a result; else where its entity is declared."""
        found = [
            self._place(record, reading)
            for record, reading in self._about.get(result.focus, ())
            if record.source in result.sources and self._is_meant(reading, result)
        ]
        if not found:
            entity = self._kb.entity(result.focus)
            files = result.sources or ((entity.source,) if entity is not None and entity.source else ())
            found = [Place(file, self._line_of_id(file, result.focus)) for file in files]
        return tuple(sorted(set(found), key=lambda place: (place.file, place.line or 0, place.quote)))

    def of_reading(self, record: SourceRecord, reading: Reading) -> tuple[Place, ...]:
        """Where one statement stands."""
        return (self._place(record, reading),)

    def _is_meant(self, reading: Reading, result: Result) -> bool:
        assert reading.edge is not None
        subject, relation, value = reading.edge
        if result.path is not None:
            wanted = self._kb.vocabulary.name_of(result.path)
            if relation != wanted or subject != result.focus:
                return False
        other = value if subject == result.focus else subject
        return result.value is None or result.value in (result.focus, other)

    def _place(self, record: SourceRecord, reading: Reading) -> Place:
        file = record.path or record.source
        said = reading.statement
        if said.evidence is None:
            name = reading.edge[0] if reading.edge is not None else said.subject
            return Place(file, self._line_of_id(file, name))
        quote, start = said.evidence.quote, said.evidence.start
        text = self._text(file)
        line = None
        if text is not None:
            at = start if start >= 0 and text.startswith(quote, start) else text.find(quote)
            line = text.count("\n", 0, at) + 1 if at >= 0 and quote else None
        return Place(file, line, quote)

    def _line_of_id(self, file: str, name: str) -> int | None:
        """The line of a catalogue or statements file that declares an entity, or else names it first."""
        text = self._text(file)
        if text is None or not name:
            return None
        word = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        found = re.search(rf"\b(?:id|name)[\"']?[ \t]*:[ \t]*[\"']?{word}", text) or re.search(word, text)
        return None if found is None else text.count("\n", 0, found.start()) + 1

    def _text(self, file: str) -> str | None:
        if file not in self._texts:
            path = self._kb.config.root / file
            try:
                small = path.is_file() and path.stat().st_size <= _LARGEST
                text = path.read_bytes().decode("utf-8-sig") if small else None
            except (OSError, ValueError):
                text = None
            # Offsets count in the text as it was read, line ends made one character.
            self._texts[file] = None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")
        return self._texts[file]
