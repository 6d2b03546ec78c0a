"""What a new knowledge base starts with: a few entities and a page, in the words of whatever ontology is loaded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.vocabulary import Relation, Vocabulary

__all__ = ["Starter", "starter"]

_NAMES = ("Alpha", "Beta", "Gamma", "Delta")


@dataclass(frozen=True, slots=True)
class Starter:
    """`catalogue` in YAML, one Markdown `page`, and a `question` that the two answer; None where no relation is."""

    catalogue: str
    page: str
    question: str | None

    @property
    def empty_catalogue(self) -> str:
        """The catalogue with its entities as comments, to see how they are written."""
        return self.catalogue.replace("\n  - ", "\n#  - ").replace("entities:\n", "entities: []\n")


@dataclass(frozen=True, slots=True)
class _Thing:
    id: str
    type: str
    name: str


def starter(vocabulary: Vocabulary) -> Starter:
    """Entities for the two relations that the ontology has most words for, and a page that states them."""
    things: list[_Thing] = []
    sentences: list[str] = []
    question = None
    ranked = sorted(vocabulary.relations.values(), key=lambda relation: (-len(relation.phrases), relation.name))
    for relation in ranked:
        ends = _ends(relation, vocabulary, things[0].type if things else None)
        if ends is None:
            continue
        subject = things[0] if things else _new(ends[0], vocabulary, things)
        object_ = _new(ends[1], vocabulary, things)
        sentences.append(_sentence(subject, relation, object_))
        question = question or f"{subject.name} {_verb(relation) or relation.label} what?"
        if len(sentences) == 2:
            break
    if not things and vocabulary.classes:
        _new(next(iter(vocabulary.classes)), vocabulary, things)
    title = things[0].name if things else "Start here"
    page = "\n\n".join([f"# {title}", *sentences]) + "\n"
    lines = [f"  - {{id: {thing.id}, type: {thing.type}, name: {json.dumps(thing.name)}}}" for thing in things]
    head = '# The things that pages talk about. Add aliases: ["…"] for other names, and attributes by their names.\n'
    return Starter(head + ("entities:\n" + "\n".join(lines) if lines else "entities: []") + "\n", page, question)


def _ends(relation: Relation, vocabulary: Vocabulary, subject: str | None) -> tuple[str, str] | None:
    """A type for either end that the relation takes; the subject's is given after the first relation."""
    for one, other in relation.signatures:
        left = subject or _usual(one, vocabulary, avoid=None)
        right = _usual(other, vocabulary, avoid=left)
        if left is not None and right is not None and vocabulary.fits(relation, left, right):
            return left, right
    return None


def _usual(type_name: str | None, vocabulary: Vocabulary, avoid: str | None) -> str | None:
    """The most specific type below this one that people have most words for, another than `avoid` if possible."""
    if type_name is None:
        return None
    found = vocabulary.descendants(type_name)
    leaves = [name for name in found if vocabulary.descendants(name) == {name}]
    ranked = sorted(leaves, key=lambda name: (name == avoid, -len(vocabulary.classes[name].phrases), name))
    return ranked[0] if ranked else type_name


def _new(type_name: str, vocabulary: Vocabulary, things: list[_Thing]) -> _Thing:
    name = f"{_NAMES[len(things)]} {vocabulary.classes[type_name].label.title()}"
    thing = _Thing("-".join(name.lower().split()), type_name, name)
    things.append(thing)
    return thing


def _verb(relation: Relation) -> str | None:
    """The first phrase that reads as a verb."""
    return next((phrase for phrase in relation.phrases if phrase.split(" ")[0].endswith("s")), None)


def _sentence(subject: _Thing, relation: Relation, object_: _Thing) -> str:
    verb = _verb(relation)
    return f"{subject.name} {verb} {object_.name}." if verb else f"{relation.label.capitalize()}: {object_.name}"
