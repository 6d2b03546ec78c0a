"""Sentences that state something: what the reader takes from them, from which page, and in which direction."""

from __future__ import annotations

import pytest
from extract_help import edges, reader, wanted
from extract_help import page as page_of

# (page, sentence, what it says)
STATED = [
    ("heron", "It depends on the Ledger and on Auth.", "heron needs ledger, auth"),
    ("heron", "Heron relies heavily on Auth, the Session Cache and the Event Bus.", "heron needs auth, cache, bus"),
    ("heron", "For every payment we look up the counters in the Session Cache.", "heron needs cache"),
    ("heron", "Scores are written back to the Event Bus.", "heron needs bus"),
    ("heron", "Scores go onto the Bus as soon as they are final.", "heron needs bus"),
    ("heron", "Heron is used by Refunds and by the Portal.", "refunds needs heron; portal needs heron"),
    ("heron", "Refunds, which depends on Heron, is slow.", "refunds needs heron"),
    ("heron", "Both the Portal and Refunds call it.", "portal needs heron; refunds needs heron"),
    ("heron", "Heron talks to the Ledger (for balances) and to Auth (for tokens).", "heron needs ledger, auth"),
    ("heron", "Heron calls Auth on start-up and the Ledger on every request.", "heron needs auth, ledger"),
    ("heron", "Tokens are verified against Auth.", "heron needs auth"),
    ("heron", "Heron never talks to the Ledger directly; it asks the Portal instead.", "heron needs portal"),
    ("heron", "Heron calls Auth but not the Ledger.", "heron needs auth"),
    ("heron", "If the score is high, Heron asks the Ledger for the history.", "heron needs ledger"),
    ("heron", "Does Heron call the Ledger? No, it asks Auth.", "heron needs auth"),
    ("heron", "Unlike Refunds, Heron calls Auth.", "heron needs auth"),
    ("heron", "Heron, like Refunds, calls Auth.", "heron needs auth"),
    ("heron", "Heron is owned by Edge.", "heron owner edge"),
    ("heron", "Heron belongs to the Edge team.", "heron owner edge"),
    ("heron", "Heron's owner is Edge.", "heron owner edge"),
    ("heron", "The owner of Heron is Edge.", "heron owner edge"),
    ("heron", "Its owner is Edge.", "heron owner edge"),
    (
        "heron",
        "Edge owns Heron, the Portal and the API Gateway.",
        "heron owner edge; portal owner edge; gate owner edge",
    ),
    ("heron", "Edge, led by Ana Ruiz, owns Heron.", "heron owner edge; edge lead ana"),
    ("heron", "Edge (lead: Ana Ruiz) runs it.", "heron owner edge; edge lead ana"),
    ("heron", "The Edge team looks after it.", "heron owner edge"),
    ("heron", "Edge is responsible for Heron.", "heron owner edge"),
    ("heron", "Heron is the responsibility of Edge.", "heron owner edge"),
    ("heron", "Since 2023 Heron has been owned by Edge.", "heron owner edge"),
    ("heron", "Owner: Edge", "heron owner edge"),
    ("heron", "Owner: Edge (since 2023; before that Bookkeeping)", "heron owner edge"),
    ("heron", "**Owner** – Edge", "heron owner edge"),
    ("heron", "Owner = Edge", "heron owner edge"),
    ("heron", "Team Edge owns it.", "heron owner edge"),
    ("heron", "Lead of Edge: Ana Ruiz", "edge lead ana"),
    ("heron", "Edge's lead is Ana Ruiz.", "edge lead ana"),
    ("heron", "Ana Ruiz leads Edge, Teodor Ilves leads Bookkeeping.", "edge lead ana; books lead teo"),
    ("heron", "Ana Ruiz heads the Edge team.", "edge lead ana"),
    ("heron", "The Edge team is headed by Ana Ruiz.", "edge lead ana"),
    ("heron", "Ana Ruiz, who leads Edge, likes cats.", "edge lead ana"),
    ("heron", "Ana Ruiz is the lead of Edge.", "edge lead ana"),
    ("heron", "Ana Ruiz is lead of Edge and Jo Park is her deputy.", "edge lead ana"),
    ("heron", "Jo Park is a member of Edge.", "jo in edge"),
    ("heron", "Dependencies: Auth, Ledger", "heron needs auth, ledger"),
    ("heron", "Depends on: Auth, Ledger", "heron needs auth, ledger"),
    ("heron", "Used by: Refunds, Portal", "refunds needs heron; portal needs heron"),
    ("heron", "Consumers: Refunds; the Portal", "refunds needs heron; portal needs heron"),
    ("heron", "Callers are Refunds and the Portal.", "refunds needs heron; portal needs heron"),
    ("heron", "The only consumer is Refunds.", "refunds needs heron"),
    ("heron", "Refunds is our only consumer.", "refunds needs heron"),
    ("heron", "Heron is a client of the Ledger.", "heron needs ledger"),
    ("heron", "Heron is a dependency of Refunds.", "refunds needs heron"),
    ("heron", "Heron is one of the services that call Auth.", "heron needs auth"),
    ("heron", "Heron needs Auth to start.", "heron needs auth"),
    ("heron", "Heron needs a token from Auth.", "heron needs auth"),
    ("heron", "Heron gets its tokens from Auth and its balances from the Ledger.", "heron needs auth, ledger"),
    ("heron", "Balances, it gets from the Ledger.", "heron needs ledger"),
    ("heron", "From the Ledger it gets balances.", "heron needs ledger"),
    ("heron", "The balances come from the Ledger.", "heron needs ledger"),
    ("heron", "The Ledger feeds Heron with balances.", "heron needs ledger"),
    ("heron", "Heron is fed by the Ledger.", "heron needs ledger"),
    ("heron", "Heron is backed by the Session Cache.", "heron needs cache"),
    ("heron", "The Session Cache backs Heron.", "heron needs cache"),
    (
        "heron",
        "Heron stores nothing itself: counters are kept in the Session Cache, events go to the Bus.",
        "heron needs cache, bus",
    ),
    (
        "heron",
        "Heron calls Auth, then asks the Ledger for a balance and finally writes the score to the Event Bus.",
        "heron needs auth, ledger, bus",
    ),
    ("heron", "Heron, after asking Auth, calls the Ledger.", "heron needs auth, ledger"),
    ("heron", "Before calling the Ledger, Heron asks Auth.", "heron needs ledger, auth"),
    ("heron", "Heron publishes to and consumes from the Event Bus.", "heron needs bus"),
    ("heron", "Heron subscribes to three topics on the Event Bus.", "heron needs bus"),
    ("heron", "Refunds calls us, and so does the Portal.", "refunds needs heron; portal needs heron"),
    ("heron", "Refunds calls Heron; so does the Portal.", "refunds needs heron; portal needs heron"),
    ("heron", "Refunds polls our status endpoint.", "refunds needs heron"),
    ("heron", "Heron is called by Refunds, not by the Portal.", "refunds needs heron"),
    ("heron", "Heron depends on [the ledger](ledger.md).", "heron needs ledger"),
    ("heron", "Heron depends on `ledger`.", "heron needs ledger"),
    ("heron", "HERON DEPENDS ON THE LEDGER.", "heron needs ledger"),
    ("heron", "Every night riskd copies its log to the Document Store.", "heron needs docs"),
    ("heron", "Logs are copied nightly to the Document Store.", "heron needs docs"),
    ("heron", "The API Gateway routes traffic to Heron.", "gate needs heron"),
    ("heron", "Heron has its tokens checked by Auth.", "heron needs auth"),
    (
        "heron",
        "Heron, Refunds and the Portal all depend on Auth.",
        "heron needs auth; refunds needs auth; portal needs auth",
    ),
    (
        "heron",
        "Heron uses Auth, as do Refunds and the Portal.",
        "heron needs auth; refunds needs auth; portal needs auth",
    ),
    ("heron", "This service uses Auth.", "heron needs auth"),
    ("heron", "The service is maintained by Edge.", "heron owner edge"),
    ("heron", "Maintained by Edge.", "heron owner edge"),
    ("heron", "Run by Edge since 2022.", "heron owner edge"),
    ("heron", "Heron is run by Edge, and Edge is led by Ana Ruiz.", "heron owner edge; edge lead ana"),
    ("heron", "Heron is Edge's.", "heron owner edge"),
    ("heron", "If you have questions, ask Edge, who own Heron.", "heron owner edge"),
    ("heron", "Heron reads from the Ledger DB's replica.", "heron needs db"),
    ("heron", "Heron reads a replica of the Ledger DB.", "heron needs db"),
    ("heron", "Heron reads the replica in Ledger DB.", "heron needs db"),
    ("heron", "Heron authenticates with Auth, whose owner is Edge.", "heron needs auth; auth owner edge"),
    ("heron", "Auth, owned by Edge, is called by Heron.", "auth owner edge; heron needs auth"),
    ("heron", "Auth (owned by Edge) is needed by Heron.", "auth owner edge; heron needs auth"),
    ("edge", "We own Heron and the API Gateway.", "heron owner edge; gate owner edge"),
    (
        "edge",
        "We run three services: Heron, Refunds and the Portal.",
        "heron owner edge; refunds owner edge; portal owner edge",
    ),
    ("edge", "Our services are Heron and Refunds.", "heron owner edge; refunds owner edge"),
    ("edge", "Ana Ruiz leads us.", "edge lead ana"),
    ("edge", "Our lead is Ana Ruiz.", "edge lead ana"),
    ("edge", "Lead: Ana Ruiz", "edge lead ana"),
    ("edge", "The team is led by Ana Ruiz.", "edge lead ana"),
    ("edge", "Ana Ruiz is our lead.", "edge lead ana"),
    ("edge", "Members: Ana Ruiz, Jo Park", "ana in edge; jo in edge"),
    ("overview", "Heron depends on Auth. Refunds does too.", "heron needs auth"),
    ("overview", "Heron asks Auth. It also asks the Ledger.", "heron needs auth, ledger"),
    (
        "overview",
        "Heron and Refunds are owned by Edge. Both call Auth.",
        "heron owner edge; refunds owner edge; heron needs auth; refunds needs auth",
    ),
    ("overview", "Edge owns Heron. The team is led by Ana Ruiz.", "heron owner edge; edge lead ana"),
    ("overview", "Edge owns Heron. It is led by Ana Ruiz.", "heron owner edge; edge lead ana"),
    ("overview", "Heron calls Auth; Refunds, the Ledger.", "heron needs auth"),
    (
        "overview",
        "Heron calls Auth, Refunds calls the Ledger, and the Portal calls both.",
        "heron needs auth; refunds needs ledger",
    ),
    ("overview", "Heron calls Auth (which is owned by Edge).", "heron needs auth; auth owner edge"),
    ("overview", "Heron is slow because it calls Auth twice.", "heron needs auth"),
    ("overview", "The reason is that Heron calls Auth.", "heron needs auth"),
    ("overview", "Heron calls Auth; that was before the rewrite.", "heron needs auth"),
    ("overview", "As of May, Heron calls Auth.", "heron needs auth"),
    ("overview", "As of the October reorg, Heron is owned by Edge.", "heron owner edge"),
    ("overview", "Heron calls Auth once per request.", "heron needs auth"),
    ("overview", "Heron calls Auth once a day and once more at night.", "heron needs auth"),
    ("overview", "Today Heron calls Auth; next year it will call the Ledger.", "heron needs auth"),
    ("overview", "Heron calls Auth today, but that will change.", "heron needs auth"),
    ("overview", "For now Heron calls Auth.", "heron needs auth"),
    ("overview", "Heron currently calls Auth.", "heron needs auth"),
    ("overview", "Heron still calls Auth.", "heron needs auth"),
    ("overview", "Heron must call Auth first.", "heron needs auth"),
    ("overview", "Heron is able to call Auth.", "heron needs auth"),
    ("overview", "Heron needs to call Auth.", "heron needs auth"),
    ("overview", "Heron has to call Auth.", "heron needs auth"),
    ("overview", "Heron keeps calling Auth.", "heron needs auth"),
    ("overview", "Heron calls Auth without asking the Ledger.", "heron needs auth"),
    ("overview", "Heron calls Auth rather than the Ledger.", "heron needs auth"),
    ("overview", "Heron calls Auth instead of the Ledger.", "heron needs auth"),
    ("overview", "Heron calls nothing but Auth.", "heron needs auth"),
    ("overview", "Heron calls only Auth.", "heron needs auth"),
    ("overview", "Only Heron calls Auth.", "heron needs auth"),
    ("overview", "Nobody but Heron calls Auth.", "heron needs auth"),
    ("overview", "No one but Edge owns Heron.", "heron owner edge"),
    ("overview", "Heron doesn't just call Auth, it also asks the Ledger.", "heron needs auth, ledger"),
    ("overview", "Heron not only calls Auth but also asks the Ledger.", "heron needs auth, ledger"),
    ("overview", "Heron and Refunds each call Auth.", "heron needs auth; refunds needs auth"),
    (
        "overview",
        "Heron's data lives in the Document Store, its sessions live in the Session Cache.",
        "heron needs docs, cache",
    ),
    ("overview", "The data of Heron are in the Document Store.", "heron needs docs"),
    ("overview", "Heron is the biggest user of the Event Bus.", "heron needs bus"),
    ("overview", "The biggest user of the Event Bus is Heron.", "heron needs bus"),
    ("overview", "The Event Bus has two readers, Heron and Refunds.", "heron needs bus; refunds needs bus"),
    ("overview", "The Event Bus has two readers: Heron and Refunds.", "heron needs bus; refunds needs bus"),
    ("overview", "Readers of the Event Bus: Heron, Refunds.", "heron needs bus; refunds needs bus"),
    ("overview", "Among the readers of the Event Bus are Heron and Refunds.", "heron needs bus; refunds needs bus"),
    ("heron", "The whole thing hangs on Auth.", "heron needs auth"),
    ("heron", "Everything here hangs on Auth.", "heron needs auth"),
    ("heron", "Our only hard dependency is Auth.", "heron needs auth"),
    ("heron", "Hard dependencies are Auth and the Ledger; soft ones, the Mailer.", "heron needs auth, ledger"),
    ("heron", "We have exactly one dependency: Auth.", "heron needs auth"),
    ("heron", "Heron has one dependency, Auth.", "heron needs auth"),
    ("heron", "There are two callers: Refunds and the Portal.", "refunds needs heron; portal needs heron"),
    (
        "heron",
        "Three services call us: Refunds, the Portal and the Mailer.",
        "refunds needs heron; portal needs heron; mailer needs heron",
    ),
    ("heron", "We get called by Refunds.", "refunds needs heron"),
    ("heron", "Refunds hands its cases to us.", "refunds needs heron"),
    ("heron", "Refunds writes here too.", "refunds needs heron"),
    ("heron", "Refunds and the Portal read from it.", "refunds needs heron; portal needs heron"),
    ("heron", "Nobody knows why Heron calls the Ledger.", "heron needs ledger"),
    ("heron", "Heron fetches its rules, its weights and its thresholds from the Document Store.", "heron needs docs"),
    ("heron", "Heron fetches rules from the Document Store and weights from the Ledger DB.", "heron needs docs, db"),
    ("heron", "Heron's rules are fetched from the Document Store, its weights from the Ledger DB.", "heron needs docs"),
    ("heron", "On each call, Heron reads a row of the Ledger DB.", "heron needs db"),
    ("heron", "Rows of the Ledger DB are read by Heron.", "heron needs db"),
    (
        "heron",
        "Heron publishes scores to the Event Bus, from which Refunds reads them.",
        "heron needs bus; refunds needs bus",
    ),
    ("heron", "Heron puts the score on the Event Bus and forgets about it.", "heron needs bus"),
    ("heron", "Sessions live in the Session Cache.", "heron needs cache"),
    ("heron", "Session data is kept in the Session Cache; nothing else is.", "heron needs cache"),
    ("heron", "Heron asks Auth (see below) whether the token is good.", "heron needs auth"),
    ("heron", "Heron asks Auth, who asks nobody.", "heron needs auth"),
    (
        "heron",
        "Heron asks Auth, which asks the Ledger, which asks the Ledger DB.",
        "heron needs auth; auth needs ledger; ledger needs db",
    ),
    ("heron", "Auth is asked by Heron, and in its turn asks the Ledger.", "heron needs auth; auth needs ledger"),
    (
        "heron",
        "First Heron asks Auth. Then it asks the Ledger. Finally the Mailer is called.",
        "heron needs auth, ledger, mailer",
    ),
    (
        "heron",
        "Heron (which calls Auth) is owned by Edge (whose lead is Ana Ruiz).",
        "heron needs auth; heron owner edge; edge lead ana",
    ),
    ("heron", "Heron is maintained jointly by Edge and Bookkeeping.", "heron owner edge, books"),
    ("heron", "Heron is with Edge.", "heron owner edge"),
    ("heron", "Heron is in the hands of Edge.", "heron owner edge"),
    ("heron", "Edge has Heron, and nobody else wants it.", "heron owner edge"),
    ("heron", "Edge is on the hook for Heron.", "heron owner edge"),
    ("heron", "Edge built Heron; Bookkeeping runs it.", "heron owner books"),
    ("heron", "Bookkeeping used to own Heron; today it is Edge who owns it.", "heron owner edge"),
    ("heron", "Until the reorg it was Bookkeeping's; now it belongs to Edge.", "heron owner edge"),
    ("heron", "Who owns Heron? Edge.", "heron owner edge"),
    ("heron", "Who owns Heron? Edge does.", "heron owner edge"),
    ("heron", "Edge supports Heron.", "heron owner edge"),
    ("heron", "Edge is run by Ana Ruiz.", "edge lead ana"),
    ("heron", "Ana Ruiz runs Edge.", "edge lead ana"),
    ("heron", "Ana Ruiz manages Edge.", "edge lead ana"),
    ("heron", "Jo Park leads Edge while Ana Ruiz is away.", "edge lead jo"),
    ("heron", "Jo Park works in Edge.", "jo in edge"),
    ("heron", "Jo Park works for Edge on Heron.", "jo in edge"),
    ("heron", "Report Builder reads Ledger DB.", "report needs db"),
    ("heron", "Report Builder reads from the Ledger.", "report needs ledger"),
    ("heron", "Report Builder needs Auth but neither the Ledger nor Heron.", "report needs auth"),
    ("heron", "Depends on: Auth; until 2023 also the Ledger", "heron needs auth"),
    ("heron", "Depends on: Auth, (planned) Ledger", "heron needs auth"),
    ("heron", "Depends on: Auth, Ledger (planned)", "heron needs auth"),
    ("heron", "Depends on: ~~Auth~~ Ledger", "heron needs ledger"),
    ("heron", "Depends on: Auth, maybe Ledger", "heron needs auth"),
    ("heron", "Depends on: [Auth](auth.md), [the ledger](ledger.md)", "heron needs auth, ledger"),
    ("heron", "Talks to: Auth / Ledger / Mailer", "heron needs auth, ledger, mailer"),
    ("heron", "Upstream: Auth. Downstream: Refunds.", "heron needs auth; refunds needs heron"),
    ("heron", "Reads: Ledger DB. Writes: Event Bus.", "heron needs db"),
    ("heron", "Heron: calls Auth, reads from the Ledger DB", "heron needs auth, db"),
    ("heron", "Heron calls Auth → Auth answers.", "heron needs auth"),
    ("heron", "Heron calls Auth, Auth calls the Ledger", "heron needs auth; auth needs ledger"),
    ("heron", "Heron calls Auth and Auth calls the Ledger.", "heron needs auth; auth needs ledger"),
    (
        "heron",
        "Heron calls Auth for tokens, the Ledger for balances and the Mailer for nothing.",
        "heron needs auth, ledger, mailer",
    ),
    ("heron", "In production Heron calls Auth; in staging it calls a stub.", "heron needs auth"),
    ("heron", "Locally, Heron calls the Ledger.", "heron needs ledger"),
    ("heron", "Example: Heron calls the Ledger.", "heron needs ledger"),
    ("heron", "After the fix Heron calls the Ledger again.", "heron needs ledger"),
    ("heron", "With the new client Heron calls the Ledger over gRPC.", "heron needs ledger"),
]


@pytest.mark.parametrize(("page", "text", "expected"), STATED, ids=[text[:60] for _, text, _ in STATED])
def test_a_sentence_says_this_and_no_more(page: str, text: str, expected: str) -> None:
    assert wanted(expected) == edges(text, page)


def test_names_are_kept_as_the_page_writes_them() -> None:
    (statement,) = reader().read(page_of("The riskd daemon is idle. Turnstile calls Keyring.", "x"))
    assert (statement.subject, statement.relation, statement.object) == ("Turnstile", "depends_on", "Keyring")


def test_a_pronoun_gives_the_name_of_the_catalogue() -> None:
    (statement,) = reader().read(page_of("It calls Keyring.", "heron"))
    assert (statement.subject, statement.object) == ("Heron", "Keyring")


def test_a_slip_of_the_pen_gives_the_name_of_the_catalogue() -> None:
    (statement,) = reader().read(page_of("Auth calls the Sesion Cache.", "x"))
    assert (statement.subject, statement.relation, statement.object) == ("Auth", "depends_on", "Session Cache") or (
        statement.object == "Session Cache"
    )


def test_evidence_is_the_sentence_with_its_markup() -> None:
    text = "First things first. **Heron** calls [Auth](auth.md). And so on."
    (statement,) = reader().read(page_of(text, "x"))
    assert statement.evidence is not None
    assert statement.evidence.quote == "**Heron** calls [Auth](auth.md)."
    assert text[statement.evidence.start : statement.evidence.end] == statement.evidence.quote


def test_an_explicit_statement_about_the_wrong_types_is_left_to_the_gate() -> None:
    found = reader().read(page_of("Heron depends on Ana Ruiz.", "x"))
    assert [(s.subject, s.relation, s.object) for s in found] == [("Heron", "depends_on", "Ana Ruiz")]


def test_an_edge_is_stated_once_a_page_by_its_first_evidence() -> None:
    found = reader().read(page_of("Heron calls Auth. Heron uses Auth.", "x"))
    assert [s.evidence.quote for s in found if s.evidence] == ["Heron calls Auth."]
