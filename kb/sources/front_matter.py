"""Front matter that nobody can read: what is wrong with it, for the people who wrote it."""

from __future__ import annotations

import re

import yaml

from kb.errors import Fault
from kb.model import Page

__all__ = ["front_matter_fault"]

_BLOCK = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY = re.compile(r"^[\w-]+[ \t]*:", re.MULTILINE)


def front_matter_fault(page: Page) -> Fault | None:
    """What keeps the front matter of a page from being read; None where there is none, or nothing wrong with it.

    Text between two rules that has no keys is text, not front matter.
    """
    match = _BLOCK.match(page.text)
    if match is None or _KEY.search(match[1]) is None:
        return None
    try:
        node = yaml.compose(match[1], Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        # Line 1 of the page is the rule above the front matter.
        line = 2 if mark is None else min(mark.line, match[1].count("\n")) + 2
        problem = " ".join(str(err.problem or err.context).split())
    except (yaml.YAMLError, ValueError, RecursionError) as err:
        line, problem = 2, " ".join(str(err).split())
    else:
        if node is None or isinstance(node, yaml.MappingNode):
            return None
        line, problem = 2, "it is no list of `key: value` lines"
    return Fault(page.path or page.id, line, f"front matter does not parse: {problem}; it was not read")
