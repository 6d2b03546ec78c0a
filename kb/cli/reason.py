"""`kb reason`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, table, wrapped
from kb.cli._why import source_line, stated_lines, why_lines

if TYPE_CHECKING:
    from kb.ask.inferred import Why, Whys
    from kb.knowledge_base import KnowledgeBase
    from kb.reason.checks import Inconsistency
    from kb.reason.model import Fact
    from kb.reason.words import Words

__all__ = ["command"]


@click.command()
@click.option(
    "--explain",
    nargs=3,
    metavar="S P O",
    help="Say why one fact holds: names, ids or IRIs of its subject, relation (or type) and object.",
)
@click.option("--facts", "listed", is_flag=True, help="List what was inferred.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="N",
    help="Facts and contradictions to print; 0: all.",
)
@kb_option
@json_option
def command(explain: tuple[str, str, str] | None, listed: bool, limit: int, folder: Path, as_json: bool) -> int:
    """Show what follows from the facts by the ontology, and why.

    \b
    kb reason
    kb reason --explain "FX Rates" type system

    What the ontology says of classes, inverse, transitive and other properties is applied to all facts (OWL 2 RL).
    Nothing is changed. With the section [reason] in kb.toml each kb build publishes what is inferred, in a graph of its
    own, for kb ask --inferred.

    Exit code 1: facts contradict the ontology; with --explain: the fact does not follow.
    """  # noqa: D301 - \b is click's mark for lines that stay as they are
    import kb

    with kb.open(folder) as base:
        if explain is not None:
            return _explain(base, explain, as_json=as_json)
        return _report(base, listed=listed, limit=limit, as_json=as_json)


# -- everything ----------------------------------------------------------------


def _report(base: KnowledgeBase, *, listed: bool, limit: int, as_json: bool) -> int:
    from kb.reason.words import Words

    reasoned, whys = base.reasoned, base.whys()
    words = Words(base.label, reasoned.axioms)
    kinds = Counter(_kind(whys, fact) for fact in reasoned.inferred)
    rows = sorted((whys.id(s), _relation(whys, p), _value(whys, o)) for s, p, o in reasoned.inferred)
    broken = reasoned.inconsistencies
    shown = broken[: limit or None]
    reports = [_broken(one, whys, words, base) for one in shown]
    published = base.generation.meta.get("reasoning")
    if as_json:
        data: dict[str, Any] = {
            "generation": base.generation.name,
            "published": published is not None,
            "stated": len(reasoned.stated),
            "inferred": len(rows),
            "by": [{"fact": name, "inferred": number} for name, number in _ordered(kinds)],
            "consistent": not broken,
            "inconsistencies": [one.to_json() for one in reports],
        }
        if listed:
            data["facts"] = [dict(zip(("subject", "relation", "object"), row, strict=True)) for row in rows]
        echo_json(data)
        return 1 if broken else 0
    echo(f"{counted(len(rows), 'fact')} inferred from {len(reasoned.stated):,} stated")
    if rows:
        echo()
        table(["fact", "inferred"], [[name, f"{number:,}"] for name, number in _ordered(kinds)], right=[1])
    if listed and rows:
        echo()
        table(["subject", "relation", "object"], rows[: limit or None])
        _left(len(rows) - len(rows[: limit or None]))
    echo()
    echo(f"{counted(len(broken), 'contradiction')} of the ontology" if broken else "Nothing contradicts the ontology.")
    for report in reports:
        echo()
        report.show()
    _left(len(broken) - len(shown))
    if published is None:
        note("Note: this is not in the published graph; the section [reason] in kb.toml lets kb build put it there.")
    return 1 if broken else 0


def _ordered(kinds: Counter[str]) -> list[tuple[str, int]]:
    return sorted(kinds.items(), key=lambda item: (-item[1], item[0]))


def _left(number: int) -> None:
    if number > 0:
        echo()
        echo(f"… and {number:,} more; --limit 0 prints all")


def _kind(whys: Whys, fact: Fact) -> str:
    return f"type {_value(whys, fact[2])}" if _relation(whys, fact[1]) == "type" else _relation(whys, fact[1])


def _relation(whys: Whys, iri: str) -> str:
    from kb.reason.model import TYPE

    return "type" if iri == TYPE else _value(whys, iri)


def _value(whys: Whys, value: Any) -> str:
    if not isinstance(value, str):
        return str(value.value)
    from kb.namespaces import PREFIXES

    shown = whys.id(value)
    for prefix, namespace in PREFIXES.items():
        if shown.startswith(namespace):
            return f"{prefix}:{shown.removeprefix(namespace)}"
    return shown


# -- contradictions --------------------------------------------------------------


class _Report:
    """One contradiction: what is wrong about what, and each fact with what it rests on."""

    def __init__(self, found: Inconsistency, headline: str, focus: str, facts: list[tuple[Fact, str, Why | None, Any]]):
        self.found, self.headline, self.focus, self.facts = found, headline, focus, facts

    def to_json(self) -> dict[str, Any]:
        rows = []
        for _, words, why, stated in self.facts:
            if why is None:
                rows.append({"words": words, "inferred": False, **stated.to_json()})
            else:
                rows.append({"words": words, "inferred": True, **why.to_json()})
        return {"rule": self.found.rule, "focus": self.focus, "message": self.headline, "facts": rows}

    def show(self) -> None:
        echo(wrapped(self.headline, hanging="  "))
        for _, words, why, stated in self.facts:
            if why is None:
                lines = stated_lines(stated, indent=2)
            else:
                lines = [wrapped(words, indent="  ", hanging="    "), *why_lines(why, indent=4)]
            for line in lines:
                echo(line)


def _broken(found: Inconsistency, whys: Whys, words: Words, base: KnowledgeBase) -> _Report:
    reasoned = base.reasoned
    inferred = [fact for fact in found.facts if fact not in reasoned.stated]
    why = whys.of(inferred)
    stated = whys.stated([fact for fact in found.facts if fact in reasoned.stated], words)
    rows = [(fact, words.fact(fact), why.get(fact), stated.get(fact)) for fact in found.facts]
    headline = f"{base.label(found.focus)}: {words.broken(found)} ({found.rule})"
    return _Report(found, headline, whys.id(found.focus), rows)


# -- one fact ------------------------------------------------------------------------


def _explain(base: KnowledgeBase, said: tuple[str, str, str], *, as_json: bool) -> int:
    from kb.reason.words import Words

    reasoned, whys = base.reasoned, base.whys()
    fact = _fact(base, said)
    words = Words(base.label, reasoned.axioms)
    if fact in reasoned.stated:
        stated = whys.stated([fact], words)[fact]
        if as_json:
            echo_json({"holds": True, "inferred": False, **stated.to_json()})
        else:
            echo(wrapped(f"{stated.words}: stated", hanging="  "))
            if stated.sources:
                echo(source_line(stated.sources, indent=2))
        return 0
    proof = reasoned.explainer.explain(fact) if fact not in reasoned.found else None
    if fact not in reasoned.found and proof is None:
        if as_json:
            echo_json({"holds": False})
        else:
            echo(wrapped(f"{words.fact(fact)}: neither stated nor inferred", hanging="  "))
        return 1
    why = whys.of([fact])[fact]
    if as_json:
        echo_json({"holds": True, "inferred": True, "words": words.fact(fact), **why.to_json()})
        return 0
    echo(wrapped(f"{words.fact(fact)}: inferred", hanging="  "))
    if not why.steps:
        echo("  by OWL 2 RL, from several facts together")
    for one in why.stated:
        for line in stated_lines(one, indent=2):
            echo(line)
    for step in why.steps:
        echo(wrapped(f"so {step.words}, since {step.axiom} ({step.rule})", indent="  ", hanging="    "))
    return 0


def _fact(base: KnowledgeBase, said: tuple[str, str, str]) -> Fact:
    """A fact by names. Raises UnknownNameError."""
    from kb.lookup.names import unknown
    from kb.reason.model import TYPE

    subject, name, value = said
    relation = TYPE if name in ("type", "a", "rdf:type") else _term(base, name)
    if relation is None:
        words = base.vocabulary
        raise unknown(f"{name!r} is no relation of the ontology", name, [*_near(name, [*words.relations, "type"])])
    if relation == TYPE:
        kind = _term(base, value)
        if kind is None:
            raise unknown(f"{value!r} is no class of the ontology", value, _near(value, base.vocabulary.classes))
        return _entity(base, subject), TYPE, kind
    return _entity(base, subject), relation, _entity(base, value)


def _term(base: KnowledgeBase, name: str) -> str | None:
    """The IRI of a class or property by its name, label, prefixed name or IRI."""
    from kb.names import normalised
    from kb.namespaces import PREFIXES

    if "://" in name or name.startswith("urn:"):
        return name.strip("<>")
    prefix, colon, local = name.partition(":")
    if colon and prefix in PREFIXES:
        return PREFIXES[prefix] + local
    words = base.vocabulary
    terms = [(one.name, one.label, one.iri) for one in words.relations.values()]
    terms += [(one.name, one.label, one.iri) for r in words.relations.values() if (one := r.inverse) is not None]
    terms += [(one.name, one.label, one.iri) for one in words.classes.values()]
    terms += [(one.name, one.label, one.iri) for one in words.attributes.values()]
    wanted = normalised(name)
    exact = [iri for known, _, iri in terms if known == name]
    return next(iter([*exact, *(iri for _, label, iri in terms if normalised(label) == wanted)]), None)


def _entity(base: KnowledgeBase, name: str) -> str:
    """The IRI of an entity by its id, name or IRI."""
    from kb.errors import UnknownNameError
    from kb.lookup.names import unknown
    from kb.names import normalised

    if "://" in name:
        return name.strip("<>")
    if name in base.entities:
        return base.iris.entity(name)
    wanted = normalised(name)
    known = base.catalogue.entities
    found = sorted(one.id for one in known.values() if wanted in map(normalised, (one.name, *one.aliases)))
    if len(found) == 1:
        return base.iris.entity(found[0])
    if found:
        raise UnknownNameError(f"{name!r} may mean {', '.join(found)}; write one of these", name, found)
    ids = {normalised(said): one.id for one in known.values() for said in (one.name, one.id)}
    raise unknown(f"nothing is called {name!r}", name, [ids[one] for one in _near(wanted, ids)])


def _near(name: str, known: Any) -> list[str]:
    import difflib

    return difflib.get_close_matches(name, list(known), n=3)
