"""Which way round a statement is meant: names as stated -> the two ends of a relation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kb.graph.resolve import AMBIGUOUS, Resolution, Resolver
from kb.vocabulary import Relation, Vocabulary

__all__ = ["Ends", "ends"]

_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a relation, with the names that were given for them.

    `backwards` says that the statement spoke of the object first; `turned`, that it was turned round because its two
    things fit the relation only the other way.
    """

    subject: Resolution
    object: Resolution
    names: _Pair
    backwards: bool
    turned: bool = False

    @property
    def missing(self) -> Resolution | None:
        """The end that means nothing or too much, if there is one; that which the statement speaks of first."""
        spoken = (self.object, self.subject) if self.backwards else (self.subject, self.object)
        return next((end for end in spoken if end.id is None), None)


def ends(
    said: _Pair,
    relation: Relation,
    resolver: Resolver,
    vocabulary: Vocabulary,
    *,
    backwards: bool = False,
    ids: bool = False,
    repair: bool = False,
) -> Ends:
    """Resolves the names that a statement gives, first one first.

    `backwards`: they were given by the relation's inverse. `ids`: a name that is an id means that, letter by letter, as
    in files. `repair`: where the things cannot stand to each other as stated, but can the other way round, that is
    meant.
    """
    stated = _resolved(said, relation, resolver, vocabulary, backwards=backwards, ids=ids)
    if not repair or relation.symmetric or _may_fit(stated, relation, resolver, vocabulary):
        return stated
    other = _resolved(said, relation, resolver, vocabulary, backwards=not backwards, ids=ids, turned=True)
    return other if other.missing is None and _may_fit(other, relation, resolver, vocabulary) else stated


def _may_fit(found: Ends, relation: Relation, resolver: Resolver, vocabulary: Vocabulary) -> bool:
    """Whether the relation joins things of the types that the names may mean, in this direction."""
    subjects, objects = (
        {resolver.type_of(one) for one in ((end.id,) if end.id is not None else end.among)}
        for end in (found.subject, found.object)
    )
    return any(vocabulary.fits(relation, one, other) for one in subjects for other in objects)


def _resolved(
    said: _Pair,
    relation: Relation,
    resolver: Resolver,
    vocabulary: Vocabulary,
    *,
    backwards: bool,
    ids: bool,
    turned: bool = False,
) -> Ends:
    """Both ends.

    An ambiguous one is looked at again once the other is known: a relation may join teams to teams and systems to
    systems, but no team to a system.
    """
    names = (said[1], said[0]) if backwards else said
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
    if ids:
        subject = Resolution(names[0]) if resolver.is_id(names[0]) else subject
        object_ = Resolution(names[1]) if resolver.is_id(names[1]) else object_
    return Ends(subject, object_, names, backwards, turned)


def _types(names: Iterable[str | None]) -> frozenset[str] | None:
    found = set(names)
    return None if None in found or not found else frozenset(name for name in found if name is not None)
