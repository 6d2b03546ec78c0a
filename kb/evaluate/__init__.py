"""How good a build is, against facts and questions with known answers.

A gold folder holds any of `triples.jsonl` (page, subject, relation, object), `traps.jsonl` (the same with `why`:
statements that must not become facts) and `questions.jsonl` (question, type, answer, plan). Ids are those of the
catalogue. Only relations that occur in the gold triples are judged: a gold set that lists owners says nothing about a
membership that was found.
"""

from __future__ import annotations

from kb.evaluate.answers import METHODS
from kb.evaluate.result import Comparison, Evaluation
from kb.evaluate.run import compare, evaluate
from kb.evaluate.scores import Scores, answer_f1, score_edges
from kb.evaluate.usage import Meter

__all__ = [
    "METHODS",
    "Comparison",
    "Evaluation",
    "Meter",
    "Scores",
    "answer_f1",
    "compare",
    "evaluate",
    "score_edges",
]
