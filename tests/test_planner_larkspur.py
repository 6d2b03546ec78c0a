"""How people ask about the shipped example, and the plan that is meant. Written before the planner was run on them."""

from __future__ import annotations

from typing import Any

import pytest
from planner_worlds import LARKSPUR, as_json, but_not, count, either, every, having, same, start

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Which team looks after the Card Tokeniser?", start("tokeniser", "owned_by")),
    ("Semaphore - whose is it?", start("feature-flags", "owned_by")),
    ("who is in charge of Money Movement", start("money-movement", "led_by")),
    ("Name everything that the Identity team maintains.", start("identity", "~owned_by")),
    ("What does Teo Ilves lead?", start("teodor-ilves", "~led_by")),
    ("On what does the Payout Engine rely?", start("payouts", "depends_on")),
    ("Tell me which things talk to the Registry.", start("merchant-registry", "~depends_on")),
    ("By whom is acq-core maintained?", start("card-acquiring", "owned_by")),
    ("List Heron's dependencies", start("risk-scorer", "depends_on")),
    ("Who are the direct consumers of Riverbed?", start("event-bus", "~depends_on")),
    ("Which services are used by Invoicing?", start("invoicing", "depends_on", type="service")),
    ("What is Abacus used by?", start("fee-calculator", "~depends_on")),
    ("Does anything subscribe to the bus? What, exactly?", start("event-bus", "~depends_on")),
    ("Backoffice's owner, please", start("backoffice", "owned_by")),
    ("Which systems belong to DaPla?", start("data-platform", "~owned_by")),
    ("I need the name of the person who heads the Gatekeepers.", start("edge", "led_by")),
    ("Who heads the team behind the Ops Console?", start("backoffice", "owned_by", "led_by")),
    ("Conveyor is acting up. Who leads its owner?", start("warehouse-feeder", "owned_by", "led_by")),
    ("Which teams run the dependencies of Report Buidler?", start("report-builder", "depends_on", "owned_by")),
    ("Who owns the stuff that talks to Turnstile?", start("api-gateway", "~depends_on", "owned_by")),
    ("What is called by the callers of the Tokeniser?", start("tokeniser", "~depends_on", "depends_on")),
    ("what things are run by teams Lucan Abernethy leads?", start("lucan-abernethy", "~led_by", "~owned_by")),
    (
        "List the services owned by the team that Pri Rowe leads",
        start("priyanka-rowe", "~led_by", "~owned_by", type="service"),
    ),
    (
        "What do the systems of Compliance Engineering depend on?",
        start("compliance-engineering", "~owned_by", "depends_on"),
    ),
    ("callers of whatever calls Tern?", start("fx-rates", "~depends_on", "~depends_on")),
    (
        "Which services use something that the Fraud & Risk team owns?",
        start("fraud-risk", "~owned_by", "~depends_on", type="service"),
    ),
    ("Who leads the owners of what Payment Links calls?", start("payment-links", "depends_on", "owned_by", "led_by")),
    (
        (
            "Feature Flags will lose an endpoint: which leads must hear about it, "
            "that is the heads of the teams owning its direct clients?"
        ),
        start("feature-flags", "~depends_on", "owned_by", "led_by"),
    ),
    (
        "Of the things the Merchant Registry uses, who owns the things those use?",
        start("merchant-registry", "depends_on", "depends_on", "owned_by"),
    ),
    (
        "Three levels down from the Portal: what is there?",
        start("merchant-portal", "depends_on", "depends_on", "depends_on"),
    ),
    (
        "Who leads the teams whose systems the Edge team's systems call?",
        start("edge", "~owned_by", "depends_on", "owned_by", "led_by"),
    ),
    ("What would go down together with the Cookie Jar?", start("session-cache", "~depends_on*")),
    ("Everything Paylinks needs, at every level", start("payment-links", "depends_on*")),
    ("Suppose Sieve fails. Who feels it in the end?", start("sanctions-screener", "~depends_on*")),
    ("Show the full dependency tree of Disputes", start("disputes", "depends_on*")),
    (
        "Which teams own something that ultimately relies on the Registry?",
        start("merchant-registry", "~depends_on*", "owned_by"),
    ),
    ("impact of losing ledger-postgres?", start("ledger-db", "~depends_on*")),
    ("Which systems sit somewhere beneath Checkout?", start("checkout", "depends_on*")),
    ("Recursively, what does the notifier require?", start("notifier", "depends_on*")),
    ("Who leads the teams hit by an outage of Keyring?", start("auth", "~depends_on*", "owned_by", "led_by")),
    ("Which internet-facing things does the Edge team own?", start("edge", "~owned_by", public=True)),
    (
        "Which datastores does Checkout end up depending on, however indirectly?",
        start("checkout", "depends_on*", type="datastore"),
    ),
    ("What internal systems call the gateway?", start("api-gateway", "~depends_on", public=False)),
    (
        "Of the direct callers of Keyring, which ones does the MX team own?",
        start("merchant-experience", "~owned_by", depends_on="auth"),
    ),
    (
        "Which things owned by Bookkeeping are needed by Payouts?",
        start("payouts", "depends_on", owned_by="bookkeeping"),
    ),
    ("databases that DaPla looks after", start("data-platform", "~owned_by", type="datastore")),
    (
        "When the Vault is unreachable, which customer-facing services are affected?",
        start("card-vault", "~depends_on*", type="service", public=True),
    ),
    (
        "Which teams own public callers of the Auth Service?",
        every(start("auth", "~depends_on", public=True), hops=["owned_by"]),
    ),
    (
        "What uses both the Event Bus and Ledger?",
        every(start("event-bus", "~depends_on"), start("ledger", "~depends_on")),
    ),
    ("What calls Abacus or Tern?", either(start("fee-calculator", "~depends_on"), start("fx-rates", "~depends_on"))),
    (
        "What do Payouts and Refunds have in common as dependencies?",
        every(start("payouts", "depends_on"), start("refunds", "depends_on")),
    ),
    (
        "Which things call Keyring but not Turnstile?",
        but_not(start("auth", "~depends_on"), start("api-gateway", "~depends_on")),
    ),
    ("How many things does Money Movement own?", count(start("money-movement", "~owned_by"))),
    (
        "How many services depend on the event bus, directly or indirectly?",
        count(start("event-bus", "~depends_on*", type="service")),
    ),
    ("Which team owns the most datastores?", count(having({"type": "datastore"}), by=["owned_by"])),
    ("Which datastores are public?", having({"type": "datastore", "public": True})),
    ("List all teams.", having({"type": "team"})),
    ("Which services have no owner?", having({"type": "service", "owned_by": None})),
]


@pytest.mark.parametrize(("question", "plan"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_becomes_the_plan_that_is_meant(question: str, plan: dict[str, Any]) -> None:
    assert same(LARKSPUR, plan) == as_json(LARKSPUR, question)
