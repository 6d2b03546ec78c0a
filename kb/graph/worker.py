"""Queries of users, in a process of their own that can be killed.

Nothing stops a query inside Oxigraph once it runs: no time-out, no cancelling, and a thread cannot be killed. So a
query runs in a child process that opens the store read-only. When the time is up the child is killed; when a query
eats memory only the child dies. The child imports Oxigraph and the guard, nothing slow: it answers within some 50 ms.

Both ends speak JSON lines over pipes: terms as text, never as code.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import pyoxigraph as ox

from kb.errors import GenerationError, QueryError, QueryTimeoutError
from kb.graph._tokens import tokens
from kb.graph.guard import QUERY_PREFIXES
from kb.graph.parameters import bind
from kb.graph.results import QueryResult, Term

__all__ = [
    "DEFAULT_MAX_ROWS",
    "DEFAULT_TIMEOUT",
    "MAX_BYTES",
    "MEMORY_LIMIT",
    "QueryResult",
    "QueryWorker",
    "run_query",
]

DEFAULT_TIMEOUT = 30.0
"""Seconds that a query may take."""

DEFAULT_MAX_ROWS = 100_000
"""Rows or triples that come back at most, so that a careless query does not fill the memory."""

MAX_BYTES = 64 << 20
"""Bytes of JSON that come back at most, for rows that are few but large: 100,000 rows of twenty columns would be
gigabytes here."""

MEMORY_LIMIT = 2 << 30
"""Bytes of address space that a query may take in the child."""


def run_query(
    store: Path | str,
    text: str,
    *,
    timeout: float | None = None,
    max_rows: int | None = None,
    parameters: Mapping[str, Term] | None = None,
    prefixes: Mapping[str, str] = QUERY_PREFIXES,
    allow_service: bool = False,
) -> QueryResult:
    """Checks and runs one query on the store in this folder.

    `timeout` is in seconds, `max_rows` counts rows or triples; None stands for the defaults above. A result that would
    be larger than `MAX_BYTES` is cut before that, and is `truncated`. `parameters` takes the place of variables, as
    terms. `allow_service` lets the query ask other servers, within the same bounds. Raises QueryError for a query that
    is refused or does not parse, and QueryTimeoutError for one that took too long or too much memory.
    """
    with QueryWorker(store) as worker:
        return worker.run(
            text,
            timeout=timeout,
            max_rows=max_rows,
            parameters=parameters,
            prefixes=prefixes,
            allow_service=allow_service,
        )


class QueryWorker:
    """A child process with one store open, for one query after the other. Not for several threads at once.

    It starts with the first query, and again after one that had to be killed.
    """

    def __init__(self, store: Path | str) -> None:
        self.store = Path(store)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the child."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()

    def run(
        self,
        text: str,
        *,
        timeout: float | None = None,
        max_rows: int | None = None,
        parameters: Mapping[str, Term] | None = None,
        prefixes: Mapping[str, str] = QUERY_PREFIXES,
        allow_service: bool = False,
    ) -> QueryResult:
        """As `run_query`."""
        seconds = DEFAULT_TIMEOUT if timeout is None else timeout
        limit = DEFAULT_MAX_ROWS if max_rows is None else max_rows
        if seconds <= 0:
            raise QueryError(f"a query needs time to run: the time-out is {seconds:g} seconds; give more than 0")
        if limit < 0:
            raise QueryError(f"the most rows to return are {limit}; give 0 or more")
        if parameters:
            text = bind(text, parameters)
        request = {
            "text": text,
            "max_rows": limit,
            "max_bytes": MAX_BYTES,
            "prefixes": dict(prefixes),
            "seconds": seconds,
            "allow_service": allow_service,
        }
        expired = threading.Event()
        process = self._start()

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(seconds, expire)
        timer.start()
        try:
            return self._exchange(process, request, expired)
        except BaseException:
            # Whatever interrupted it, the child may still be at work on a query that nobody waits for.
            self.close()
            raise
        finally:
            timer.cancel()
            if expired.is_set():  # perhaps just after the last line: the next query needs a new child
                self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        # Without site and environment the child starts twice as fast; it needs two folders of modules only.
        folders = [str(Path(__file__).resolve().parents[2]), str(Path(str(ox.__file__)).resolve().parents[1])]
        code = f"import sys; sys.path[:0] = {folders!r}; from kb.graph._worker_child import main; main()"
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter on our own module
            [sys.executable, "-I", "-S", "-c", code, str(self.store), str(MEMORY_LIMIT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self._process

    def _exchange(
        self, process: subprocess.Popen[bytes], request: Mapping[str, Any], expired: threading.Event
    ) -> QueryResult:
        assert process.stdin is not None
        assert process.stdout is not None
        phase = "start"
        variables: tuple[str, ...] = ()
        rows: list[tuple[Term | None, ...]] = []
        triples: list[ox.Triple] = []
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            for kind, value in _messages(process.stdout):
                if kind == "error":
                    raise _error(value)
                if kind == "phase":
                    phase = value
                elif kind == "variables":
                    variables = tuple(value)
                elif kind == "rows":
                    rows.extend(tuple(None if cell is None else _term(cell) for cell in row) for row in value)
                elif kind == "triples":
                    triples.extend(_triple(one) for one in value)
                elif kind == "end":
                    result = QueryResult(
                        kind=value["kind"],
                        variables=variables,
                        rows=tuple(rows),
                        boolean=value.get("boolean"),
                        triples=tuple(triples),
                        truncated=value.get("truncated", False),
                    )
                    return _as_written(request["text"], result)
        except (BrokenPipeError, json.JSONDecodeError):
            pass  # the child died in the middle of a line
        raise self._death(process, phase, expired, request["seconds"])

    def _death(
        self, process: subprocess.Popen[bytes], phase: str, expired: threading.Event, seconds: float
    ) -> Exception:
        code = process.wait()
        if expired.is_set() or code == -14:  # its own alarm, when ours was late
            return QueryTimeoutError(
                f"the query was stopped after {seconds:g} seconds; start its paths from something that is known, "
                "join fewer patterns, or allow it more time (--timeout SECONDS)"
            )
        if phase == "check":
            return QueryError("the query is refused: it is nested too deeply to be read")
        if phase == "run":
            return QueryTimeoutError(
                f"the query was stopped: it needed more than {MEMORY_LIMIT >> 30} GiB of memory; "
                "join fewer patterns, or group or sort less at once"
            )
        return GenerationError(
            f"{self.store}: the process that runs queries ended with code {code} before it was ready; "
            "`kb generations verify` says whether the index is damaged"
        )


def _as_written(text: str, result: QueryResult) -> QueryResult:
    """`SELECT *` gives its columns by alphabet; people expect them in the order in which the query names them."""
    found = [token for token in tokens(text) if token.kind in ("word", "variable", "other")]
    words = (token.text.lower() for token in found)
    if "select" not in words or next((word for word in words if word not in ("distinct", "reduced")), "") != "*":
        return result
    named = dict.fromkeys(token.text[1:] for token in found if token.kind == "variable")
    order = sorted(range(len(result.variables)), key=lambda i: list(named).index(result.variables[i]))
    return replace(
        result,
        variables=tuple(result.variables[i] for i in order),
        rows=tuple(tuple(row[i] for i in order) for row in result.rows),
    )


def _messages(lines: IO[bytes]) -> Any:
    for line in lines:
        yield json.loads(line)


def _error(value: Mapping[str, str]) -> Exception:
    if value["type"] == "query":
        return QueryError(value["message"])
    return GenerationError(f"the store cannot be read: {value['message']}; run `kb build --force` to make it anew")


def _term(cell: list[Any]) -> Term:
    """The term that `_worker_child.term` wrote."""
    if cell[0] == "u":
        return ox.NamedNode(cell[1])
    if cell[0] == "b":
        return ox.BlankNode(cell[1])
    if cell[0] == "l":
        return ox.Literal(cell[1])
    if cell[0] == "g":
        direction = ox.BaseDirection(cell[3]) if len(cell) > 3 else None
        return ox.Literal(cell[1], language=cell[2], direction=direction)
    if cell[0] == "d":
        return ox.Literal(cell[1], datatype=ox.NamedNode(cell[2]))
    return _triple(cell[1])


def _triple(cells: list[list[Any]]) -> ox.Triple:
    return ox.Triple(*(_term(cell) for cell in cells))  # type: ignore[arg-type]
