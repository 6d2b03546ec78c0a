"""More ways to ask about the shipped example: telegraphic, roundabout, with context, denied, counted."""

from __future__ import annotations

from typing import Any

import pytest
from planner_worlds import LARKSPUR, as_json, but_not, count, either, every, having, same, start

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Which team is responsible for the reconciler?", start("reconciler", "owned_by")),
    ("Ledger DB owner?", start("ledger-db", "owned_by")),
    ("Who do I talk to about Conveyor, i.e. who owns it?", start("warehouse-feeder", "owned_by")),
    ("what are the upstream dependencies of hookd", start("webhook-dispatcher", "depends_on")),
    ("Name the downstream services of the fee calculator.", start("fee-calculator", "~depends_on")),
    ("Which services are consumers of the event bus?", start("event-bus", "~depends_on", type="service")),
    ("What does the dashboard talk to?", start("merchant-portal", "depends_on")),
    ("Does Refunds depend on anything? If so, on what?", start("refunds", "depends_on")),
    ("which datastore does KYC write to?", start("kyc", "depends_on", type="datastore")),
    ("who is Marit Quell's team", either(start("marit-quell", "~led_by"), start("marit-quell", "member_of"))),
    ("Which team does Mina Stroud lead?", start("wilhelmina-stroud", "~led_by")),
    ("What's the name of the Bookkeeping lead?", start("bookkeeping", "led_by")),
    ("Which systems would be affected if the vault went away?", start("card-vault", "~depends_on*")),
    ("The rates cache is dead. What's broken now?", start("rates-cache", "~depends_on*")),
    ("Turnstile is being replaced; list its direct callers.", start("api-gateway", "~depends_on")),
    ("If I shut down settler, who would notice?", start("settlement", "~depends_on*")),
    (
        "What is everything the payment links service depends on, including indirect dependencies?",
        start("payment-links", "depends_on*"),
    ),
    ("Trace all dependencies of Invoicing recursively.", start("invoicing", "depends_on*")),
    (
        "Which public services depend on Auth, no matter how indirectly?",
        start("auth", "~depends_on*", type="service", public=True),
    ),
    ("Which internal services does the Edge team own?", start("edge", "~owned_by", type="service", public=False)),
    ("List datastores owned by Identity", start("identity", "~owned_by", type="datastore")),
    ("Which teams depend on the Ledger, through the things they own?", start("ledger", "~depends_on", "owned_by")),
    ("Which teams are affected if Daybook fails?", start("ledger-db", "~depends_on*", "owned_by")),
    (
        "Who owns the datastores that Card Acquiring uses?",
        every(start("card-acquiring", "depends_on", type="datastore"), hops=["owned_by"]),
    ),
    ("Leads of all teams whose services call Heron", start("risk-scorer", "~depends_on", "owned_by", "led_by")),
    (
        "Which people lead teams that own something used by Payouts?",
        start("payouts", "depends_on", "owned_by", "led_by"),
    ),
    ("what do the dependencies of fx-rates depend on", start("fx-rates", "depends_on", "depends_on")),
    (
        "Which services use a service owned by Merchant Experience?",
        start("merchant-experience", "~owned_by", "~depends_on", type="service"),
    ),
    ("Which of Ledger's callers are public?", start("ledger", "~depends_on", public=True)),
    (
        "Which of the things that Checkout calls belong to Bookkeeping?",
        start("bookkeeping", "~owned_by", **{"~depends_on": "checkout"}),
    ),
    (
        "Among the dependencies of merchant portal, which are datastores?",
        start("merchant-portal", "depends_on", type="datastore"),
    ),
    ("Is there anything public that uses the document store?", start("document-store", "~depends_on", public=True)),
    (
        "Which things owned by Identity does the API gateway depend on?",
        start("api-gateway", "depends_on", owned_by="identity"),
    ),
    (
        "What does Acceptance own that depends on the tokeniser?",
        start("tokeniser", "~depends_on", owned_by="acceptance"),
    ),
    (
        "What do Checkout and Payment Links both call?",
        every(start("checkout", "depends_on"), start("payment-links", "depends_on")),
    ),
    ("How many teams own something that uses the event bus?", count(start("event-bus", "~depends_on", "owned_by"))),
    ("How many datastores are there?", count(having({"type": "datastore"}))),
    ("Which services are customer-facing?", having({"type": "service", "public": True})),
    ("Which datastores does nobody own?", having({"type": "datastore", "owned_by": None})),
    ("Which services does nothing depend on?", having({"type": "service", "~depends_on": None})),
    ("Which services depend on nothing?", having({"type": "service", "depends_on": None})),
    ("which team has no lead?", having({"type": "team", "led_by": None})),
    ("who leads the most teams?", count(having({"type": "team"}), by=["led_by"])),
    ("Who runs Abacus and who leads them?", start("fee-calculator", "owned_by", "led_by")),
    (
        "The Portal can't log anybody in. Whom should I wake up - who leads the team that owns the auth service?",
        start("auth", "owned_by", "led_by"),
    ),
    ("Compliance wants to know which systems send data to Magpie.", start("audit-archive", "~depends_on")),
    ("For the audit: all things above the card vault, please, at any distance", start("card-vault", "~depends_on*")),
    ("Two hops below Checkout, what do we find?", start("checkout", "depends_on", "depends_on")),
    ("Second-order dependencies of the risk scorer?", start("risk-scorer", "depends_on", "depends_on")),
    ("What does Pigeon's owner own?", start("notifier", "owned_by", "~owned_by")),
    (
        "Which other systems are owned by the owner of the Semaphore?",
        but_not(start("feature-flags", "owned_by", "~owned_by"), start("feature-flags")),
    ),
    (
        "What do the systems that use Sieve have as dependencies?",
        start("sanctions-screener", "~depends_on", "depends_on"),
    ),
    (
        "Which services are run by the team Kwabena Asmah heads?",
        start("kwabena-asmah", "~led_by", "~owned_by", type="service"),
    ),
    (
        "What depends on things owned by Ottilie Brandvold's team?",
        either(
            start("ottilie-brandvold", "~led_by", "~owned_by", "~depends_on"),
            start("ottilie-brandvold", "member_of", "~owned_by", "~depends_on"),
        ),
    ),
    ("Give me the owner of every service that Disputes relies on", start("disputes", "depends_on", "owned_by")),
    ("Which team should I ask before changing the merchant registry's schema?", start("merchant-registry", "owned_by")),
    ("what uses ledger-postgres", start("ledger-db", "~depends_on")),
    ("Which systems are fed by the warehouse feeder?", start("warehouse-feeder", "~depends_on")),
    ("Who maintains the stuff Reports pulls from?", start("report-builder", "depends_on", "owned_by")),
    ("who owns the thing called Riverbed?", start("event-bus", "owned_by")),
    ("What services does Identity Team look after?", start("identity", "~owned_by", type="service")),
    ("checkout-svc: dependencies?", start("checkout", "depends_on")),
    ("Which team should be paged when the rates cache breaks?", start("rates-cache", "owned_by")),
    ("ledger api upstreams, please", start("ledger", "depends_on")),
    ("I'm decommissioning Conveyor. Does anybody still use it?", start("warehouse-feeder", "~depends_on")),
    ("For each of the things Refunds talks to, which team is responsible?", start("refunds", "depends_on", "owned_by")),
    ("Who is the manager of the people who run Backoffice?", start("backoffice", "owned_by", "led_by")),
    ("What all hangs on the session cache, however remotely?", start("session-cache", "~depends_on*")),
    ("List every datastore Payouts relies on, at any level.", start("payouts", "depends_on*", type="datastore")),
    ("Is there a public thing which the Data Platform team owns?", start("data-platform", "~owned_by", public=True)),
    (
        "Services that read from a datastore that Fraud & Risk owns",
        every(start("fraud-risk", "~owned_by", type="datastore"), hops=["~depends_on"], where={"type": "service"}),
    ),
    (
        "Which of Joaquim Tarn's team's services are internal?",
        either(
            start("joaquim-tarn", "~led_by", "~owned_by", type="service", public=False),
            start("joaquim-tarn", "member_of", "~owned_by", type="service", public=False),
        ),
    ),
    ("Teams owning callers of callers of the Ledger", start("ledger", "~depends_on", "~depends_on", "owned_by")),
    ("With Keyring gone, which teams have something broken?", start("auth", "~depends_on*", "owned_by")),
    ("who leads which team: Marit Quell?", start("marit-quell", "~led_by")),
    ("Which team is Lucan Abernethy in charge of?", start("lucan-abernethy", "~led_by")),
    ("Name of the engineering lead for Compliance Engineering", start("compliance-engineering", "led_by")),
    (
        "What do both the Portal and the Gateway need?",
        every(start("merchant-portal", "depends_on"), start("api-gateway", "depends_on")),
    ),
    (
        "Things that talk to the Notifier or the Webhook Dispatcher",
        either(start("notifier", "~depends_on"), start("webhook-dispatcher", "~depends_on")),
    ),
    (
        "Everything that would have to be tested after a change to Merchant DB, directly and indirectly dependent",
        start("merchant-db", "~depends_on*"),
    ),
    ("Which services does Feature Flags serve?", start("feature-flags", "~depends_on", type="service")),
    ("What feeds the warehouse?", start("warehouse", "depends_on")),
    ("which team's services does the KYC service call", start("kyc", "depends_on", "owned_by")),
    ("Number of services owned by Edge", count(start("edge", "~owned_by", type="service"))),
    ("Which datastores have no owner?", having({"type": "datastore", "owned_by": None})),
    (
        "Who are the leads of the teams that own at least one caller of Tern?",
        start("fx-rates", "~depends_on", "owned_by", "led_by"),
    ),
    ("what would stop working without the document store", start("document-store", "~depends_on*")),
    ("Owner of the owner's... I mean: who leads the owner of Semaphore?", start("feature-flags", "owned_by", "led_by")),
    (
        "Do any public services use the Card Vault directly? Which?",
        start("card-vault", "~depends_on", type="service", public=True),
    ),
]


@pytest.mark.parametrize(("question", "plan"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_becomes_the_plan_that_is_meant(question: str, plan: dict[str, Any]) -> None:
    assert same(LARKSPUR, plan) == as_json(LARKSPUR, question)
