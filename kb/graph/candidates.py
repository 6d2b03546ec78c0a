"""Statements as read -> candidates for facts: evidence checked, names resolved, direction settled.

What a candidate says has yet to pass the gate. What does not become one is rejected here, with a code and a sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kb.graph.evidence import LONGEST_QUOTE, Find, PageEvidence
from kb.graph.resolve import AMBIGUOUS, Resolution, Resolver
from kb.graph.validation import Result
from kb.model import Page, Statement
from kb.vocabulary import Relation, Vocabulary

__all__ = ["EVIDENCE", "SHAPE", "UNKNOWN_RELATION", "Candidate", "Rejected", "candidates"]

EVIDENCE = "evidence"
UNKNOWN_RELATION = "unknown_relation"
SHAPE = "shape"

_SHOWN_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement whose names are resolved: ids of entities, and the stored relation's name.

    A statement made with an inverse's name has its ends swapped here. `repaired` says that it was turned round besides,
    because the two things fit the relation only the other way.
    """

    statement: Statement
    subject: str
    relation: str
    object: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A statement that is no fact.

    `code` is evidence, unknown_relation, unknown_entity, ambiguous or shape; `reason` a sentence. One that the gate
    rejected has the first `result` that it caused, and the `candidate` that it was.
    """

    statement: Statement
    code: str
    reason: str
    result: Result | None = None
    candidate: Candidate | None = None


def candidates(
    statements: Iterable[Statement],
    resolver: Resolver,
    vocabulary: Vocabulary,
    pages: Mapping[str, Page],
    *,
    find: Find | None = None,
    repair: bool = False,
) -> tuple[list[Candidate], list[Rejected]]:
    """Splits statements into candidates and rejected ones, both in the order of the statements.

    A statement with evidence is checked against its page when `pages` has it; its quote and offsets come out as they
    stand in the page. With `find`, which finds names in a text, the quote or what stands around it has to name one of
    the two things, and the page both. Statements without evidence, of files, or of pages that are not at hand are
    taken at their word. With `repair`, a statement whose two things fit the relation only the other way is turned.
    """
    accepted: list[Candidate] = []
    rejected: list[Rejected] = []
    evidence = {page_id: PageEvidence(page, find) for page_id, page in pages.items()}
    for said in statements:
        found = _candidate(said, resolver, vocabulary, evidence, repair=repair)
        if isinstance(found, Candidate):
            accepted.append(found)
        else:
            rejected.append(found)
    return accepted, rejected


def _candidate(
    said: Statement,
    resolver: Resolver,
    vocabulary: Vocabulary,
    pages: Mapping[str, PageEvidence],
    *,
    repair: bool,
) -> Candidate | Rejected:
    known = vocabulary.relation(said.relation)
    if known is None:
        return Rejected(said, UNKNOWN_RELATION, _unknown_relation(said.relation, vocabulary))
    page = pages.get(said.source) if said.from_page else None
    if page is not None and said.evidence is not None:
        if len(said.evidence.quote) > LONGEST_QUOTE:
            return Rejected(
                said, EVIDENCE, f"the quote is longer than {LONGEST_QUOTE:,} characters, and points at nothing"
            )
        evidence = page.locate(said.evidence)
        if evidence is None:
            return Rejected(said, EVIDENCE, _no_evidence(said.evidence.quote, page.page))
        if evidence != said.evidence:
            said = replace(said, evidence=evidence)
    relation, backwards = known
    names = (said.object, said.subject) if backwards else (said.subject, said.object)
    # Files write ids, and mean what they write; pages write names.
    resolve = _resolved if said.from_page else _by_id
    ends = resolve(names, relation, resolver, vocabulary)
    repaired = False
    if repair and not relation.symmetric and not _fitting(ends, relation, resolver, vocabulary):
        other = resolve((names[1], names[0]), relation, resolver, vocabulary)
        if _fitting(other, relation, resolver, vocabulary):
            ends, names, backwards, repaired = other, (names[1], names[0]), not backwards, True
    # The subject as it was written is spoken of first.
    for end in reversed(ends) if backwards else ends:
        if end.id is None:
            return Rejected(said, end.code or "", end.reason)
    subject, object_ = ends
    assert subject.id is not None
    assert object_.id is not None
    if page is not None and said.evidence is not None:
        lack = page.lack(said.evidence, ((subject.id, names[0]), (object_.id, names[1])))
        if lack is not None:
            return Rejected(said, EVIDENCE, lack)
    return Candidate(said, subject.id, relation.name, object_.id, repaired)


def _fitting(
    ends: tuple[Resolution, Resolution], relation: Relation, resolver: Resolver, vocabulary: Vocabulary
) -> bool:
    """Whether both ends are known and of types that the relation joins in this direction."""
    subject, object_ = (None if end.id is None else resolver.type_of(end.id) for end in ends)
    return subject is not None and object_ is not None and vocabulary.fits(relation, subject, object_)


def _resolved(
    names: tuple[str, str], relation: Relation, resolver: Resolver, vocabulary: Vocabulary
) -> tuple[Resolution, Resolution]:
    """Both ends.

    An ambiguous one is looked at again once the other is known: a relation may join teams to teams and systems to
    systems, but no team to a system.
    """
    subject = resolver.resolve(names[0], _types(one for one, _ in relation.signatures))
    object_ = resolver.resolve(names[1], _types(one for _, one in relation.signatures))
    if subject.code == AMBIGUOUS and object_.id is not None:
        above = vocabulary.ancestors(resolver.type_of(object_.id))
        narrowed = _types(s for s, o in relation.signatures if o is None or o in above)
        subject = resolver.resolve(names[0], narrowed)
    elif object_.code == AMBIGUOUS and subject.id is not None:
        above = vocabulary.ancestors(resolver.type_of(subject.id))
        narrowed = _types(o for s, o in relation.signatures if s is None or s in above)
        object_ = resolver.resolve(names[1], narrowed)
    return subject, object_


def _by_id(
    names: tuple[str, str], relation: Relation, resolver: Resolver, vocabulary: Vocabulary
) -> tuple[Resolution, Resolution]:
    subject, object_ = _resolved(names, relation, resolver, vocabulary)
    return (
        Resolution(names[0]) if resolver.is_id(names[0]) else subject,
        Resolution(names[1]) if resolver.is_id(names[1]) else object_,
    )


def _types(names: Iterable[str | None]) -> frozenset[str] | None:
    found = set(names)
    return None if None in found or not found else frozenset(name for name in found if name is not None)


def _unknown_relation(name: str, vocabulary: Vocabulary) -> str:
    known = sorted(
        {*vocabulary.relations, *(r.inverse.name for r in vocabulary.relations.values() if r.inverse is not None)}
    )
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"it has: {', '.join(known)}"
    return f"'{name}' is not a relation of the ontology; {hint}"


def _no_evidence(quote: str, page: Page) -> str:
    shown = " ".join(quote.split())
    if not shown:
        return "the statement has an empty quote"
    if len(shown) > _SHOWN_QUOTE:
        shown = shown[:_SHOWN_QUOTE].rstrip() + "…"
    return f"the quote does not occur on page '{page.id}': \"{shown}\""
