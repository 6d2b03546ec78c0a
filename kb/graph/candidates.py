"""Statements as read -> candidates for facts: evidence checked, names resolved, direction settled.

What a candidate says has yet to pass the gate. What does not become one is rejected here, with a code and a sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kb.extract.suspect import suspicion
from kb.graph.direction import ends
from kb.graph.evidence import LONGEST_QUOTE, SHORTEST_QUOTE, Find, FindSuspect, PageEvidence
from kb.graph.resolve import Resolver
from kb.graph.validation import Result
from kb.model import Evidence, Page, Statement
from kb.vocabulary import Vocabulary

__all__ = ["EVIDENCE", "SHAPE", "UNKNOWN_RELATION", "Candidate", "Rejected", "candidates"]

EVIDENCE = "evidence"
UNKNOWN_RELATION = "unknown_relation"
SHAPE = "shape"

_SHOWN_QUOTE = 60
_TOO_LONG = f"the quote is longer than {LONGEST_QUOTE:,} characters, and points at nothing"


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
    suspect: FindSuspect | None = None,
    repair: bool = False,
) -> tuple[list[Candidate], list[Rejected]]:
    """Splits statements into candidates and rejected ones, both in the order of the statements.

    A statement with evidence is checked against its page when `pages` has it; its quote and offsets come out as they
    stand in the page. With `find`, which finds names in a text, the quote or what stands around it has to name one of
    the two things, and the page both. What `suspect` finds on a page is no evidence, and names nothing. Statements
    without evidence, of files, or of pages that are not at hand are taken at their word. With `repair`, a statement of
    a page whose two things fit the relation only the other way is turned.
    """
    accepted: list[Candidate] = []
    rejected: list[Rejected] = []
    evidence = {page_id: PageEvidence(page, find, suspect) for page_id, page in pages.items()}
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
    page = pages.get(said.source) if said.from_page and said.evidence is not None else None
    places: list[Evidence] = []
    if page is not None and said.evidence is not None:
        if len(said.evidence.quote) > LONGEST_QUOTE:
            return Rejected(said, EVIDENCE, _TOO_LONG)
        places = page.places(said.evidence)
        if not places:
            return Rejected(said, EVIDENCE, _no_evidence(said.evidence.quote, page.page))
        if page.suspect:
            why = [suspicion(place, page.suspect) for place in places]
            if all(why):
                return Rejected(_with(said, places[0]), EVIDENCE, why[0] or "")
            places = [place for place, reason in zip(places, why, strict=True) if not reason]
        if page.find is not None and sum(map(str.isalnum, places[0].quote)) < SHORTEST_QUOTE:
            return Rejected(said, EVIDENCE, f"the quote is shorter than {SHORTEST_QUOTE} letters, and says nothing")
        said = _with(said, places[0])
    relation, backwards = known
    # Files write ids, and mean what they write; pages write names.
    found = ends(
        (said.subject, said.object),
        relation,
        resolver,
        vocabulary,
        backwards=backwards,
        ids=not said.from_page,
        repair=repair and said.from_page,
    )
    subject, object_ = found.subject.id, found.object.id
    if subject is None or object_ is None:
        lacking = found.missing
        assert lacking is not None
        return Rejected(said, lacking.code or "", lacking.reason)
    if page is not None:
        evidence = page.naming(places, ((subject, found.names[0]), (object_, found.names[1])))
        if isinstance(evidence, str):
            return Rejected(said, EVIDENCE, evidence)
        said = _with(said, evidence)
    return Candidate(said, subject, relation.name, object_, found.turned)


def _with(said: Statement, evidence: Evidence) -> Statement:
    return said if evidence == said.evidence else replace(said, evidence=evidence)


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
