"""`kb dedup`."""

from __future__ import annotations

import difflib
import getpass
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note, wrapped

if TYPE_CHECKING:
    from kb.duplicates import EntityPair, Opened, Pair
    from kb.reviews import Review, Reviews

__all__ = ["command"]

_LONGEST = 300
_VERDICTS = {"accept": "accepted", "dismiss": "dismissed"}


@click.command()
@click.option("--new", "only_new", is_flag=True, help="Only pairs that the build before did not have.")
@click.option("--concept", metavar="NAME", help="Only pairs of this concept.")
@click.option("--all", "everything", is_flag=True, help="Also pairs that were accepted or dismissed.")
@click.option("--entities", is_flag=True, help="Entities of the catalogue with the same or nearly the same name.")
@click.option(
    "--accept", nargs=2, metavar="A B", help="Remember that the two are duplicates, for somebody to clean up."
)
@click.option(
    "--dismiss", nargs=2, metavar="A B", help="Remember that the two may both stand; they are not shown again."
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Pairs to print; --json has all of them.",
)
@click.option("--note", "why", metavar="TEXT", help="Why, beside --accept or --dismiss.")
@click.option("--by", metavar="NAME", help="Who says so.  [default: the name in git's settings, else the user's]")
@click.option("--fail", is_flag=True, help="Exit with code 1 where pairs are open; with --new, where new ones are.")
@kb_option
@json_option
def command(
    only_new: bool,
    concept: str | None,
    everything: bool,
    entities: bool,
    accept: tuple[str, str] | None,
    dismiss: tuple[str, str] | None,
    most: int,
    why: str | None,
    by: str | None,
    fail: bool,
    folder: Path,
    as_json: bool,
) -> int:
    """List what may be there twice, and remember what you say of it.

    Shows pairs of caveats of one concept whose texts are alike. Whether the two are a duplicate or a contradiction is
    for you to say; the numbers, and the negations and other words, that one has and the other has not are named. With
    --entities, pairs of entities of one type with the same or nearly the same name. Nothing is ever merged.

    Verdicts are kept in reviews.jsonl beside kb.toml, to be committed. They count until one of the two texts changes.

    Exit code 1: --fail, and there are open pairs, new ones if --new is given as well.
    """
    _check(only_new, concept, everything, entities, accept, dismiss, why, by, fail)
    import kb
    from kb.duplicates import review, reviews_of

    with kb.open(folder) as base:
        if accept or dismiss:
            a, b = accept or dismiss or ("", "")
            said = review(
                base, a, b, "accept" if accept else "dismiss", by=by or _user(base.config.root), note=why or ""
            )
            _tell_kept(said, as_json=as_json)
            return 0
        reviews = reviews_of(base)
        for fault in reviews.faults:
            note(f"Warning: {fault}")
        if entities:
            opened = _show_entities(base, reviews, most, everything=everything, as_json=as_json)
            return 1 if fail and opened else 0
        return _show_caveats(base, reviews, only_new, concept, everything, fail, most, as_json=as_json)


def _check(
    only_new: bool,
    concept: str | None,
    everything: bool,
    entities: bool,
    accept: tuple[str, str] | None,
    dismiss: tuple[str, str] | None,
    why: str | None,
    by: str | None,
    fail: bool,
) -> None:
    listing = only_new or concept is not None or everything or entities or fail
    if accept and dismiss:
        raise click.UsageError("Give --accept or --dismiss, not both.")
    if (accept or dismiss) and listing:
        raise click.UsageError("--accept and --dismiss remember a verdict; the options that list go without them.")
    if (why is not None or by is not None) and not (accept or dismiss):
        raise click.UsageError("--note and --by belong to --accept or --dismiss.")
    if entities and (only_new or concept is not None):
        raise click.UsageError("--new and --concept are about caveats, not about --entities.")


def _user(root: Path) -> str:
    """Who reviews: as git calls the author here, else the user of the system."""
    if name := os.environ.get("GIT_AUTHOR_NAME", "").strip():
        return name
    try:
        asked = ["git", "-C", str(root), "config", "user.name"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
        if done.stdout.strip():
            return done.stdout.strip()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        pass
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _tell_kept(said: Review, *, as_json: bool) -> None:
    if as_json:
        echo_json(said.to_json())
        return
    echo(f"{_VERDICTS[said.verdict]} by {said.by}: {said.a} and {said.b}")
    note("Kept in reviews.jsonl; it counts until one of the two texts changes.")


# -- caveats -----------------------------------------------------------------


def _show_caveats(
    base: Opened,
    reviews: Reviews,
    only_new: bool,
    concept: str | None,
    everything: bool,
    fail: bool,
    most: int,
    *,
    as_json: bool,
) -> int:
    from kb.duplicates import duplicates, report_of

    report = report_of(base)
    if concept is not None and concept not in report["concepts"]:
        close = difflib.get_close_matches(concept, report["concepts"], n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise click.UsageError(f"No concept {concept!r} has caveats{hint}")
    found = [pair for pair in duplicates(base, reviews) if concept is None or pair.concept == concept]
    fresh = [pair for pair in found if pair.new and pair.review is None]
    shown = [pair for pair in found if (everything or pair.review is None) and (pair.new or not only_new)]
    if as_json:
        echo_json([pair.to_json() for pair in shown])
    else:
        for number, pair in enumerate(shown[:most]):
            if number:
                echo()
            _show_pair(pair)
        _tell_more(len(shown) - most)
        _summary("near-duplicate", found, shown, new=len(fresh))
        more = sum(number for name, number in report["left_out"].items() if concept in (None, name))
        if more:
            note(f"{counted(more, 'pair')} less alike than these were too many to keep.")
    opened = [pair for pair in found if pair.review is None]
    return 1 if fail and (fresh if only_new else opened) else 0


def _show_pair(pair: Pair) -> None:
    title = f"{pair.concept}, {'new, ' if pair.new else ''}similarity {pair.similarity:.2f}"
    echo(f"{title}: duplicate or contradiction?")
    sides = zip((pair.a, pair.b), pair.summaries, pair.numbers, pair.negations, strict=True)
    for node, summary, numbers, negations in sides:
        echo(f"  {node}")
        echo(wrapped(_shortened(summary), indent="    "))
        _show_only("numbers only here", numbers)
        _show_only("words only here", negations)
    if not pair.differs:
        echo("  no number or negation differs")
    _show_verdict(pair.review)


def _shortened(text: str) -> str:
    """So much of a text as tells what it is about."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"


def _show_only(said: str, values: Sequence[str]) -> None:
    """What only one of two texts has."""
    if values:
        echo(wrapped(f"{said}: {', '.join(values)}", indent="    ", hanging="      "))


def _show_verdict(review: Review | None) -> None:
    if review is not None:
        why = f": {review.note}" if review.note else ""
        echo(wrapped(f"{_VERDICTS[review.verdict]} by {review.by} on {review.on[:10]}{why}", indent="  "))


# -- entities ----------------------------------------------------------------


def _show_entities(base: Opened, reviews: Reviews, most: int, *, everything: bool, as_json: bool) -> int:
    """Prints pairs of entities; how many are open."""
    from kb.duplicates import entity_duplicates

    found = entity_duplicates(base, reviews)
    shown = [pair for pair in found if everything or pair.review is None]
    opened = sum(pair.review is None for pair in found)
    if as_json:
        echo_json([pair.to_json() for pair in shown])
        return opened
    for number, pair in enumerate(shown[:most]):
        if number:
            echo()
        _show_entity_pair(pair)
    _tell_more(len(shown) - most)
    _summary("possible duplicate", found, shown)
    return opened


def _show_entity_pair(pair: EntityPair) -> None:
    echo(f"{pair.a}")
    echo(f"{pair.b}")
    echo(wrapped(f"{pair.type.replace('_', ' ')}: {pair.reason}", indent="  "))
    _show_verdict(pair.review)


def _tell_more(number: int) -> None:
    if number > 0:
        echo()
        echo(f"… and {number:,} more, see --most")


def _summary(what: str, found: Sequence[Any], shown: Sequence[Any], *, new: int | None = None) -> None:
    """How many there are, and what to do about them."""
    opened = sum(pair.review is None for pair in found)
    reviewed = len(found) - opened
    fresh = f", {new:,} of them new" if new else ""
    seen = f"; {reviewed:,} reviewed" if reviewed else ""
    if shown:
        note("")
    note(f"{counted(opened, f'open {what}')}{fresh}{seen}.")
    if any(pair.review is None for pair in shown):
        note("kb dedup --accept A B or --dismiss A B remembers what you say of a pair.")
