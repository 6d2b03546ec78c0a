"""Questions to a terse ontology: hops that no word says, nouns on the way, and words that only say how far."""

from __future__ import annotations

from pathlib import Path

import pytest
from planner_worlds import JsonPlan, start

from kb.ask.plan import parse_plan
from kb.ask.planner import Planner
from kb.errors import RefusedQuestionError
from kb.model import Entity
from kb.sources.catalogue import Catalogue
from kb.vocabulary import load_vocabulary

ONTOLOGY = """
@prefix : <https://farm.example/t#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Person a owl:Class ; rdfs:label "person" ; skos:altLabel "farmer" .
:Plot a owl:Class ; rdfs:label "plot" ; skos:altLabel "field" , "parcel" .
:Crop a owl:Class ; rdfs:label "crop" ; skos:altLabel "variety" , "plant" .
:Machine a owl:Class ; rdfs:label "machine" ; skos:altLabel "tractor" .
:Barn a owl:Class ; rdfs:label "barn" ; skos:altLabel "shed" .
:Dish a owl:Class ; rdfs:label "dish" ; skos:altLabel "mix" .
:grownOn a owl:ObjectProperty ; rdfs:label "grown on" ; skos:altLabel "is sown on" , "grows in" ;
  rdfs:domain :Crop ; rdfs:range :Plot ; owl:inverseOf :grows .
:grows a owl:ObjectProperty ; rdfs:label "grows" ; skos:altLabel "is planted with" .
:tendedBy a owl:ObjectProperty ; rdfs:label "tended by" ; skos:altLabel "is looked after by" , "keeper" ;
  rdfs:domain :Plot ; rdfs:range :Person ; owl:inverseOf :tends .
:tends a owl:ObjectProperty ; rdfs:label "tends" ; skos:altLabel "looks after" .
:guidedBy a owl:ObjectProperty ; rdfs:label "guided by" ;
  rdfs:domain :Machine ; rdfs:range :Person ; owl:inverseOf :guides .
:guides a owl:ObjectProperty ; rdfs:label "guides" .
:worksOn a owl:ObjectProperty ; rdfs:label "works on" ; skos:altLabel "is used on" ;
  rdfs:domain :Machine ; rdfs:range :Plot ; owl:inverseOf :workedBy .
:workedBy a owl:ObjectProperty ; rdfs:label "worked by" .
:keptIn a owl:ObjectProperty ; rdfs:label "kept in" ; skos:altLabel "stands in" ;
  rdfs:domain :Machine ; rdfs:range :Barn ; owl:inverseOf :shelters .
:shelters a owl:ObjectProperty ; rdfs:label "shelters" .
:partOf a owl:ObjectProperty ; rdfs:label "part of" ; skos:altLabel "is a parcel of" ;
  rdfs:domain :Plot ; rdfs:range :Plot ; owl:inverseOf :hasPart .
:hasPart a owl:ObjectProperty ; rdfs:label "has part" ; skos:altLabel "is made up of" .
:answersTo a owl:ObjectProperty ; rdfs:label "answers to" ; skos:altLabel "is supervised by" , "boss" ;
  rdfs:domain :Person ; rdfs:range :Person ; owl:inverseOf :supervises .
:supervises a owl:ObjectProperty ; rdfs:label "supervises" ; skos:altLabel "direct report" .
:cookedFrom a owl:ObjectProperty ; rdfs:label "cooked from" ;
  skos:altLabel "contains" , "uses" , "has in it" , "ingredient" , "recipe" , "is a blend of" ;
  rdfs:domain :Dish ; owl:inverseOf :goesInto .
:goesInto a owl:ObjectProperty ; rdfs:label "goes into" ; skos:altLabel "is used in" .
:soldBy a owl:ObjectProperty ; rdfs:label "sold by" ; skos:altLabel "comes from" ;
  rdfs:domain :Crop ; rdfs:range :Merchant ; owl:inverseOf :sells .
:sells a owl:ObjectProperty ; rdfs:label "sells" .
:ripeIn a owl:ObjectProperty ; rdfs:label "ripe in" ; skos:altLabel "is harvested in" ;
  rdfs:domain :Crop ; rdfs:range :Month .
:Month a owl:Class ; rdfs:label "month" .
:Merchant a owl:Class ; rdfs:label "merchant" .
:organic a owl:DatatypeProperty ; rdfs:label "organic" ; rdfs:domain :Crop ; rdfs:range xsd:boolean .
:drained a owl:DatatypeProperty ; rdfs:label "drained" ; rdfs:domain :Plot ; rdfs:range xsd:boolean .
"""

NAMES = {
    "crop": {"oats": "Black Oats", "kale": "Curly Kale", "leek": "Blue Leek"},
    "plot": {"low": "Low Meadow", "hill": "Hill Acre", "estate": "Home Estate", "strip": "East Strip"},
    "person": {"ada": "Ada Holt", "ben": "Ben Marsh", "cleo": "Cleo Fenn"},
    "machine": {"plough": "Red Plough", "seeder": "Wide Seeder"},
    "barn": {"oak": "Oak Barn", "tin": "Tin Barn"},
    "dish": {"broth": "House Broth", "soup": "Green Soup", "stew": "Winter Stew"},
    "merchant": {"fen": "Fenside Seeds"},
    "month": {"may": "May"},
}
ENTITIES = {one: Entity(one, type_, name) for type_, names in NAMES.items() for one, name in names.items()}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Planner:
    file: Path = tmp_path_factory.mktemp("farm") / "farm.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    return Planner(load_vocabulary([file], []), Catalogue(ENTITIES))


def check(planner: Planner, question: str, plan: JsonPlan) -> None:
    assert planner.plan(question).plan.to_json() == parse_plan(plan, planner.vocabulary, ENTITIES).to_json()


WAYS = [
    ("Who tends a plot that has a machine from Oak Barn on it?", start("oak", "~kept_in", "works_on", "tended_by")),
    ("Which farmers look after fields with Curly Kale on them?", start("kale", "grown_on", "tended_by")),
    ("plots with something from the Oak Barn", start("oak", "~kept_in", "works_on")),
    ("barns with machines that work on the Hill Acre", start("hill", "~works_on", "kept_in")),
    ("Where are the machines for Hill Acre kept?", start("hill", "~works_on", "kept_in")),
    ("The Oak Barn is shut. Which plots should we know of?", start("oak", "~kept_in", "works_on")),
    ("In which plots is something from the Oak Barn used?", start("oak", "~kept_in", "works_on")),
    ("What grows on plots that Ada tends?", start("ada", "~tended_by", "~grown_on")),
    ("dishes with something from Fenside Seeds", start("fen", "~sold_by", "~cooked_from")),
    ("Fenside Seeds is closed. Which keepers should be told?", start("fen", "~sold_by", "grown_on", "tended_by")),
    ("keepers of the parcels of Home Estate", start("estate", "~part_of", "tended_by")),
    ("the bosses of the keepers of Low Meadow", start("low", "tended_by", "answers_to")),
]


@pytest.mark.parametrize(("question", "plan"), WAYS)
def test_the_only_hop_between_two_things_that_are_named_needs_no_words(
    farm: Planner, question: str, plan: JsonPlan
) -> None:
    check(farm, question, plan)


FAR = [
    ("all the plots in the Home Estate, parcels of parcels too", start("estate", "~part_of*")),
    ("parcels of the Home Estate, sub-parcels included", start("estate", "~part_of*")),
    ("Which larger plots does the East Strip belong to, all the way up?", start("strip", "part_of*")),
    ("Which plots make up the Home Estate, directly and indirectly?", start("estate", "~part_of*")),
    ("who is above Ben, boss, boss's boss and so on", start("ben", "answers_to*")),
    ("everyone above Ben in the chain", start("ben", "answers_to*")),
    ("everyone beneath Ada", start("ada", "~answers_to*")),
    ("Which plots are under the Home Estate?", start("estate", "~part_of*")),
    ("what goes into the Winter Stew, down to the last plant", start("stew", "cooked_from*")),
    ("dishes that use House Broth somewhere in the recipe, also via a blend", start("broth", "~cooked_from*")),
    ("House Broth went off. Which dishes are spoiled, blends included?", start("broth", "~cooked_from*")),
]


@pytest.mark.parametrize(("question", "plan"), FAR)
def test_words_that_only_say_how_far_name_no_hop_and_no_type(farm: Planner, question: str, plan: JsonPlan) -> None:
    check(farm, question, plan)


AGAIN = [
    ("Ben tends a parcel. What grows on that parcel?", start("ben", "~tended_by", "~grown_on")),
    ("Who supervises the farmer that tends Low Meadow?", start("low", "tended_by", "answers_to")),
    ("where do the things in the soup come from? which merchants?", start("soup", "cooked_from", "sold_by")),
    (
        "who supervises the keeper of the plot that the plough works on",
        start("plough", "works_on", "tended_by", "answers_to"),
    ),
    ("Take the dishes that use House Broth. What goes into those?", start("broth", "~cooked_from", "cooked_from")),
]


@pytest.mark.parametrize(("question", "plan"), AGAIN)
def test_words_that_go_back_to_what_was_said_add_no_hop(farm: Planner, question: str, plan: JsonPlan) -> None:
    check(farm, question, plan)


CONDITIONS = [
    ("Which organic crops grow on Low Meadow?", start("low", "~grown_on", organic=True)),
    ("Which fields with Curly Kale does Ada tend?", start("ada", "~tended_by", **{"~grown_on": "kale"})),
    ("Which drained fields have Curly Kale on?", start("kale", "grown_on", drained=True)),
    ("Curly Kale is late. Which plots tended by Ben grow it?", start("kale", "grown_on", tended_by="ben")),
    ("parcels of the Home Estate that Ada is the keeper of", start("ada", "~tended_by", part_of="estate")),
]


@pytest.mark.parametrize(("question", "plan"), CONDITIONS)
def test_conditions_may_stand_anywhere(farm: Planner, question: str, plan: JsonPlan) -> None:
    check(farm, question, plan)


WORDS = [
    ("the guides of the Red Plough", start("plough", "guided_by")),
    ("Who is the guide of the Red Plough?", start("plough", "guided_by")),
    ("What does Ada guide?", start("ada", "~guided_by")),
    ("Ada's reports", start("ada", "~answers_to")),
    ("Which dishes have leeks in them?", start("leek", "~cooked_from")),
    ("Whose plots grow Black Oats?", start("oats", "grown_on", "tended_by")),
    ("Where does the seeder stand?", start("seeder", "kept_in")),
    ("When are Black Oats harvested?", start("oats", "ripe_in")),
]


@pytest.mark.parametrize(("question", "plan"), WORDS)
def test_english_says_more_than_the_ontology_lists(farm: Planner, question: str, plan: JsonPlan) -> None:
    check(farm, question, plan)


@pytest.mark.parametrize("question", ["Does the Oak Barn leak?", "the colour of the Red Plough", "Which barn is red?"])
def test_a_gap_is_not_filled_where_words_say_something_else(farm: Planner, question: str) -> None:
    with pytest.raises(RefusedQuestionError):
        farm.plan(question)
