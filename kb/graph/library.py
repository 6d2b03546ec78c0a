"""Named queries: `.rq` files whose header says in plain words what they answer and what they need.

The header is the block of lines that start with `#+`, in YAML:

    #+ question: What stops working, directly or through others, when this is down?
    #+ parameters:
    #+   entity: {type: id, about: what is down, example: ledger-db}
    #+ tags: [impact]

A parameter is a variable of the query. Its value is a term of the declared type, so what a user types can never become
part of the query's text. Without a value and a default, the parameter stays a variable, and the query answers for all.
"""

from __future__ import annotations

import difflib
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.errors import QueryError
from kb.graph._tokens import tokens
from kb.graph.guard import MAX_LENGTH

__all__ = [
    "PARAMETER_TYPES",
    "NamedQuery",
    "Parameter",
    "list_queries",
    "load_query",
    "looks_like_name",
    "parse_header",
]

PARAMETER_TYPES: dict[str, str] = {
    "id": "the id or name of an entity",
    "iri": "an IRI, in full or with a prefix",
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "relation": "the name of a relation",
    "type": "the name of a type",
    "term": "an IRI, a literal as in Turtle, or the id of an entity",
}
"""What a parameter may be, with the words that say how to write it."""

_FIELDS = {"question", "parameters", "tags"}
_PARAMETER_FIELDS = {"type", "about", "default", "example", "required"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable that takes a value. `default` and `example` are as a user would type them."""

    name: str
    type: str
    about: str = ""
    default: str | None = None
    example: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query of the library. `headed` says whether the file has a header."""

    name: str
    path: Path | None
    text: str
    question: str = ""
    parameters: tuple[Parameter, ...] = ()
    tags: tuple[str, ...] = ()
    headed: bool = False

    def matches(self, word: str, tags: Iterable[str]) -> bool:
        """Whether the name, question or tags have this word, in any case, and the query all of these tags."""
        texts = (self.name, self.question, *self.tags)
        return set(tags) <= set(self.tags) and any(word.lower() in text.lower() for text in texts)

    def to_json(self) -> dict[str, Any]:
        """Everything but the text."""
        return {
            "name": self.name,
            "question": self.question,
            "parameters": [
                {key: value for key in Parameter.__slots__ if (value := getattr(one, key)) not in (None, "")}
                for one in self.parameters
            ],
            "tags": list(self.tags),
            "path": None if self.path is None else str(self.path),
        }


def list_queries(folders: Iterable[Path]) -> dict[str, NamedQuery]:
    """The queries in these folders by name, sorted; of two with one name, the later folder's.

    Folders that are missing hold none. Raises QueryError for a header that is wrong.
    """
    return {name: parse_header(_read(path), name, path) for name, path in _files(folders).items()}


def load_query(name: str, folders: Sequence[Path]) -> NamedQuery:
    """The query of this name, or in the file of this path. Raises QueryError where there is none."""
    path = Path(name)
    if path.suffix == ".rq" or (path.exists() and not path.is_dir()):
        return parse_header(_read(path), path.stem, path)
    known = _files(folders)
    if name not in known:
        close = difflib.get_close_matches(name.replace("-", "_"), known, n=1)
        meant = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
        raise QueryError(f"there is no query {name!r}; {meant}")
    return parse_header(_read(known[name]), name, known[name])


def looks_like_name(text: str) -> bool:
    """Whether a text is the name of a query or the path of a file rather than SPARQL, which never is a single word.

    >>> [looks_like_name(text) for text in ("find_impact", "queries/mine.rq", "ASK { ?x ?y ?z }")]
    [True, True, False]
    """
    text = text.strip()
    return re.fullmatch(r"[\w-]+", text) is not None or (text.endswith(".rq") and not set(text) & set("{}?\n"))


def _files(folders: Iterable[Path]) -> dict[str, Path]:
    found = {path.stem: path for folder in folders if folder.is_dir() for path in folder.glob("*.rq")}
    return dict(sorted(found.items()))


def _read(path: Path) -> str:
    try:
        # A pipe would be waited for, perhaps for ever, and a device has no end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise QueryError(f"{path}: cannot be read: it is no file; give a query on standard input as -")
        with path.open("rb") as file:
            data = file.read(MAX_LENGTH * 4 + 1)
        if len(data) > MAX_LENGTH * 4:
            raise QueryError(f"{path}: cannot be read: a query of more than {MAX_LENGTH:,} characters is refused")
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as err:
        reason = err.strerror if isinstance(err, OSError) else "it is not UTF-8 text"
        raise QueryError(f"{path}: cannot be read: {reason}") from err


def parse_header(text: str, name: str, path: Path | None = None) -> NamedQuery:
    """Reads the header of a query's text. Raises QueryError naming the file and what is wrong."""
    where = str(path) if path is not None else name
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.startswith("#+")]
    if not lines:
        return NamedQuery(name, path, text)
    data = _yaml("\n".join(line[2:].removeprefix(" ") for _, line in lines), where, [number for number, _ in lines])
    _check_fields(data, _FIELDS, where, "the header")
    question = data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise QueryError(f"{where}: the header has no question; add a line: #+ question: What does this answer?")
    tags = data.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise QueryError(f"{where}: tags must be a list of words, as in #+ tags: [impact]")
    parameters = data.get("parameters", {})
    if not isinstance(parameters, dict):
        raise QueryError(f"{where}: parameters must map a name to its type, as in #+   entity: {{type: id}}")
    variables = {token.text[1:] for token in tokens(text) if token.kind == "variable"}
    return NamedQuery(
        name=name,
        path=path,
        text=text,
        question=" ".join(question.split()),
        parameters=tuple(_parameter(key, value, variables, where) for key, value in parameters.items()),
        tags=tuple(tags),
        headed=True,
    )


def _yaml(text: str, where: str, lines: Sequence[int]) -> dict[str, Any]:
    import yaml

    try:
        # Header files are a few lines of our own or the user's; the loader makes plain values only.
        data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        line = lines[min(mark.line, len(lines) - 1)] if mark is not None else lines[0]
        raise QueryError(f"{where}:{line}: the header is no YAML: {getattr(err, 'problem', err)}") from err
    if not isinstance(data, dict):
        raise QueryError(f"{where}:{lines[0]}: the header must start with: #+ question: What does this answer?")
    return data


def _check_fields(data: Mapping[str, Any], known: set[str], where: str, what: str) -> None:
    for key in data:
        if key not in known:
            raise QueryError(f"{where}: {what} has an unknown field {key!r}; known: {', '.join(sorted(known))}")


def _parameter(name: object, value: object, variables: set[str], where: str) -> Parameter:
    data = {"type": value} if isinstance(value, str) else value
    if not isinstance(data, dict):
        raise QueryError(f"{where}: the parameter {name!r} needs a type, as in {{type: id}}")
    _check_fields(data, _PARAMETER_FIELDS, where, f"the parameter {name!r}")
    kind = data.get("type")
    if kind not in PARAMETER_TYPES:
        raise QueryError(f"{where}: the parameter {name!r} has the type {kind!r}; known: {', '.join(PARAMETER_TYPES)}")
    if name not in variables:
        raise QueryError(f"{where}: the query has no variable ?{name}, which its header calls a parameter")
    return Parameter(
        name=str(name),
        type=str(kind),
        about=str(data.get("about", "")),
        default=_typed(data.get("default")),
        example=_typed(data.get("example")),
        required=data.get("required") is True,
    )


def _typed(value: object) -> str | None:
    """A YAML value as a user would type it on the command line."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)
