"""A small catalogue for the reader's tests, and what a page says about it in one line."""

from __future__ import annotations

from functools import lru_cache

from kb.config import packaged
from kb.extract.phrases import PhraseReader
from kb.graph.resolve import Resolver
from kb.model import Entity, Page
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

ENTITIES = {
    entity.id: entity
    for entity in (
        Entity("heron", "service", "Heron", ("riskd",)),
        Entity("ledger", "service", "Ledger"),
        Entity("gate", "service", "API Gateway", ("Gateway", "Turnstile")),
        Entity("mailer", "service", "Mailer", ("Pigeon",)),
        Entity("refunds", "service", "Refunds"),
        Entity("rates", "service", "FX Rates", ("Tern",)),
        Entity("auth", "service", "Auth", ("Keyring",)),
        Entity("portal", "service", "Merchant Portal", ("Portal",)),
        Entity("report", "service", "Report Builder", ("Reports",)),
        Entity("stock", "service", "Stock Service"),
        Entity("db", "datastore", "Ledger DB", ("ledger-postgres",)),
        Entity("cache", "datastore", "Session Cache"),
        Entity("bus", "datastore", "Event Bus", ("Bus",)),
        Entity("docs", "datastore", "Document Store", ("Docstore",)),
        Entity("edge", "team", "Edge", ("Edge Team",)),
        Entity("books", "team", "Bookkeeping", ("Books",)),
        Entity("mx", "team", "Merchant Experience", ("MX",)),
        Entity("ana", "person", "Ana Ruiz"),
        Entity("jo", "person", "Jo Park"),
        Entity("teo", "person", "Teodor Ilves", ("Teo",)),
    )
}
CATALOGUE = Catalogue(ENTITIES)
RELATIONS = {"needs": "depends_on", "owner": "owned_by", "lead": "led_by", "in": "member_of"}


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    modules = ("systems.ttl", "schemas.ttl")
    return load_vocabulary([packaged("ontology") / m for m in modules], [packaged("shapes") / m for m in modules])


@lru_cache(maxsize=1)
def reader() -> PhraseReader:
    return PhraseReader(vocabulary(), CATALOGUE)


@lru_cache(maxsize=1)
def _resolver() -> Resolver:
    return Resolver(CATALOGUE, vocabulary())


def page(text: str, page_id: str = "heron") -> Page:
    return Page(page_id, text, "")


def edges(text: str, page_id: str = "heron") -> set[str]:
    """What the page says, as "heron needs auth": ids, and the short names of RELATIONS."""
    short = {name: word for word, name in RELATIONS.items()}
    found = set()
    for statement in reader().read(page(text, page_id)):
        relation = vocabulary().relations[statement.relation]
        subjects = {s for s, _ in relation.signatures if s}
        objects = {o for _, o in relation.signatures if o}
        subject = _resolver().resolve(statement.subject, subjects or None).id
        object_ = _resolver().resolve(statement.object, objects or None).id
        found.add(f"{subject} {short.get(statement.relation, statement.relation)} {object_}")
    return found


def wanted(text: str) -> set[str]:
    """ "heron needs auth, cache; refunds needs heron" as a set of edges."""
    found = set()
    for group in filter(None, (part.strip() for part in text.split(";"))):
        subject, relation, objects = group.split(" ", 2)
        found.update(f"{subject} {relation} {one.strip()}" for one in objects.split(","))
    return found
