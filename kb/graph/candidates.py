"""Statements as read -> candidates for facts: evidence checked, names resolved, direction settled.

What a candidate says has yet to pass the gate. What does not become one is rejected here, with a code and a sentence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kb.graph.resolve import AMBIGUOUS, Resolution, Resolver
from kb.graph.validation import Result
from kb.model import Evidence, Page, Statement
from kb.vocabulary import Relation, Vocabulary

__all__ = ["EVIDENCE", "SHAPE", "UNKNOWN_RELATION", "Candidate", "Rejected", "candidates", "located"]

EVIDENCE = "evidence"
UNKNOWN_RELATION = "unknown_relation"
SHAPE = "shape"

_SHOWN_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement whose names are resolved: ids of entities, and the stored relation's name.

    A statement made with an inverse's name has its ends swapped here.
    """

    statement: Statement
    subject: str
    relation: str
    object: str


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
    statements: Iterable[Statement], resolver: Resolver, vocabulary: Vocabulary, pages: Mapping[str, Page]
) -> tuple[list[Candidate], list[Rejected]]:
    """Splits statements into candidates and rejected ones, both in the order of the statements.

    A statement with evidence is checked against its page when `pages` has it; its quote and offsets come out as they
    stand in the page. Statements without evidence, of files, or of pages that are not at hand are taken at their word.
    """
    accepted: list[Candidate] = []
    rejected: list[Rejected] = []
    for said in statements:
        found = _candidate(said, resolver, vocabulary, pages)
        if isinstance(found, Candidate):
            accepted.append(found)
        else:
            rejected.append(found)
    return accepted, rejected


def located(evidence: Evidence, text: str) -> Evidence | None:
    """The evidence as it stands in the page's text, white space aside; None where it does not.

    Where the quote occurs more than once, the occurrence at the evidence's own offset is meant, else the first.
    """
    words = evidence.quote.split()
    if not words:
        return None
    verbatim = evidence.start >= 0 and text.startswith(evidence.quote, evidence.start)
    if verbatim and evidence.end == evidence.start + len(evidence.quote):
        return evidence
    if evidence.start < 0 and (start := text.find(evidence.quote)) >= 0:
        return Evidence(evidence.quote, start, start + len(evidence.quote))
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    match = None
    if 0 <= evidence.start < len(text):
        skipped = len(evidence.quote) - len(evidence.quote.lstrip())
        match = pattern.match(text, evidence.start) or pattern.match(text, evidence.start + skipped)
    match = match or pattern.search(text)
    return match and Evidence(match.group(), match.start(), match.end())


def _candidate(
    said: Statement, resolver: Resolver, vocabulary: Vocabulary, pages: Mapping[str, Page]
) -> Candidate | Rejected:
    known = vocabulary.relation(said.relation)
    if known is None:
        return Rejected(said, UNKNOWN_RELATION, _unknown_relation(said.relation, vocabulary))
    page = pages.get(said.source) if said.from_page else None
    if page is not None and said.evidence is not None:
        evidence = located(said.evidence, page.text)
        if evidence is None:
            return Rejected(said, EVIDENCE, _no_evidence(said.evidence.quote, page))
        if evidence != said.evidence:
            said = replace(said, evidence=evidence)
    relation, backwards = known
    names = (said.object, said.subject) if backwards else (said.subject, said.object)
    # Files write ids, and mean what they write; pages write names.
    resolve = _resolved if said.from_page else _by_id
    ends = resolve(names, relation, resolver, vocabulary)
    # The subject as it was written is spoken of first.
    for end in reversed(ends) if backwards else ends:
        if end.id is None:
            return Rejected(said, end.code or "", end.reason)
    subject, object_ = ends
    assert subject.id is not None
    assert object_.id is not None
    return Candidate(said, subject.id, relation.name, object_.id)


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
