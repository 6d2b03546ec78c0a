"""Questions about the museum: nothing but its ontology tells the planner what its words mean."""

from __future__ import annotations

from typing import Any

import pytest
from planner_worlds import MUSEUM, as_json, count, either, having, same, start

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("Where does The Ice Fleet hang?", start("ice-fleet", "located_in")),
    ("Who painted Harbour at Dusk?", start("harbour-at-dusk", "created_by")),
    ("What did Elske Maurits paint?", start("elske-maurits", "~created_by")),
    ("Which works are kept in the Print Room?", start("print-room", "~located_in", type="artwork")),
    ("Who restored the Rees portrait?", start("rees-portrait", "restored_by")),
    ("from whom is the astrolabe borrowed", start("vell-astrolabe", "on_loan_from")),
    ("What has the Kestrel Foundation lent us?", start("kestrel-foundation", "~on_loan_from")),
    ("which exhibition is Low Tide in", start("low-tide", "~features")),
    ("Curator of Salt & Silver?", start("salt-and-silver", "curated_by")),
    ("What is on in the Lantern Room - which exhibitions does it host?", start("lantern-room", "~takes_place_in")),
    ("Who taught Ines Calder?", start("ines-calder", "studied_under")),
    ("Who were Brekke's pupils?", start("johan-brekke", "~studied_under")),
    ("Whom did Maurits study under?", start("elske-maurits", "studied_under")),
    ("Who curates the show that Six Herons appears in?", start("six-herons", "~features", "curated_by")),
    (
        "In which wing is the room where the Brass Octant stands?",
        start("brass-octant", "located_in", "part_of*", type="wing"),
    ),
    ("Who painted the pictures that hang in the Long Gallery?", start("long-gallery", "~located_in", "created_by")),
    (
        "Which people restored things lent by the Arkwell Estate?",
        start("arkwell-estate", "~on_loan_from", "restored_by"),
    ),
    ("Which rooms hold works by Thomas Arkwell?", start("thomas-arkwell", "~created_by", "located_in")),
    ("Who curates the exhibitions held in the Chart Room?", start("chart-room", "~takes_place_in", "curated_by")),
    ("Who taught the painter of Low Tide?", start("low-tide", "created_by", "studied_under")),
    ("works of the pupils of Aurelia Finch", start("aurelia-finch", "~studied_under", "~created_by")),
    ("Which lenders have things in Reading the Water?", start("reading-the-water", "features", "on_loan_from")),
    ("In which exhibitions are things that Amedeo cleaned?", start("amedeo-conti", "~restored_by", "~features")),
    (
        "Which paintings by Arkwell's teacher's pupils do we have?",
        start("thomas-arkwell", "studied_under", "~studied_under", "~created_by", type="artwork"),
    ),
    ("Name the artists whose works are shown in Small Craft.", start("small-craft", "features", "created_by")),
    (
        "Which things in the South Wing are on display?",
        start("south-wing", "~part_of*", "~located_in", on_display=True),
    ),
    (
        "Which of Maurits's works are in storage?",
        start("elske-maurits", "~created_by", type="artwork", on_display=False),
    ),
    ("All teachers of Ines Calder, going all the way back", start("ines-calder", "studied_under*")),
    (
        "Which instruments did Ruth Vance's exhibitions feature?",
        start("ruth-vance", "~curated_by", "features", type="instrument"),
    ),
    ("Which artworks are not on view?", having({"type": "artwork", "on_display": False})),
    ("How many works did Thomas Arkwell paint?", count(start("thomas-arkwell", "~created_by", type="artwork"))),
    (
        "Who painted Low Tide and Six Herons?",
        either(start("low-tide", "created_by"), start("six-herons", "created_by")),
    ),
    (
        "Which things restored by Conti are on loan from the Kestrel Foundation?",
        start("kestrel-foundation", "~on_loan_from", restored_by="amedeo-conti"),
    ),
    ("who lends the most artefacts?", count(having({"type": "artefact"}), by=["on_loan_from"])),
    ("Which exhibitions does Daniel organise?", start("daniel-okoro", "~curated_by")),
    ("Which rooms of the Customs House are there, in every wing?", start("customs-house", "~part_of*", type="room")),
]


@pytest.mark.parametrize(("question", "plan"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_becomes_the_plan_that_is_meant(question: str, plan: dict[str, Any]) -> None:
    assert same(MUSEUM, plan) == as_json(MUSEUM, question)
