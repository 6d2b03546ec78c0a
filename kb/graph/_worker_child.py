"""What runs in the child process of `kb.graph.worker`."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from typing import Any

import pyoxigraph as ox

from kb.errors import QueryError
from kb.graph.guard import check_query

__all__ = ["main", "term"]

_AT_ONCE = 500
"""Rows in one message, at most."""

_MESSAGE = 1 << 20
"""Bytes in one message, about; a message ends with the row that passes this."""


def main() -> None:
    """Answers queries, a JSON line each, from standard input until it ends."""
    path, memory = sys.argv[1:3]
    _limit_memory(int(memory))
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    try:
        store = ox.Store.read_only(path)
    except (OSError, ValueError) as err:
        requests.get()
        _send("error", {"type": "store", "message": f"{path}: {err}"})
        os._exit(0)  # the listening thread still holds standard input
    while True:
        request = json.loads(requests.get())
        _alarm(request["seconds"] + 2)
        try:
            _answer(store, request)
        except QueryError as err:
            _send("error", {"type": "query", "message": str(err)})
        except SyntaxError as err:
            _send("error", {"type": "query", "message": f"the query has a syntax error: {err}"})
        except (ValueError, RuntimeError) as err:
            _send("error", {"type": "query", "message": f"the query cannot be run: {err}"})
        except OSError as err:
            if request["allow_service"]:  # far more often the network than the disk
                _send("error", {"type": "query", "message": f"the query cannot be run: another server failed: {err}"})
            else:
                _send("error", {"type": "store", "message": str(err)})
        _alarm(0)


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    """Takes requests, and ends the process when the parent is gone, however it went and whatever runs here."""
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _answer(store: ox.Store, request: dict[str, Any]) -> None:
    text, limit, prefixes = request["text"], request["max_rows"], request["prefixes"]
    _send("phase", "check")
    check_query(text, prefixes=prefixes, allow_service=request["allow_service"])
    _send("phase", "run")
    result = store.query(text, prefixes=prefixes)
    if isinstance(result, ox.QueryBoolean):
        _send("end", {"kind": "ask", "boolean": bool(result)})
        return
    select = isinstance(result, ox.QuerySolutions)
    if isinstance(result, ox.QuerySolutions):
        _send("variables", [variable.value for variable in result.variables])
    kind = "rows" if select else "triples"
    seen: set[Any] = set()
    batch: list[str] = []
    count, size, sent, truncated = 0, 0, 0, False
    for one in result:
        if not select:
            if one in seen:  # a graph holds a triple once, however often a template made it
                continue
            seen.add(one)
        if count == limit:
            truncated = True
            break
        row = json.dumps([None if cell is None else term(cell) for cell in one])
        # What comes back is held in memory by the parent, and a few rows can be as large as many.
        if sent + size + len(row) > request["max_bytes"]:
            truncated = True
            break
        count += 1
        size += len(row)
        batch.append(row)
        if len(batch) == _AT_ONCE or size > _MESSAGE:
            _send_rows(kind, batch)
            sent += size
            batch, size = [], 0
    if batch:
        _send_rows(kind, batch)
    _send("end", {"kind": "select" if select else "graph", "truncated": truncated})


def term(value: Any) -> list[Any]:
    """A term as JSON; `kb.graph.worker` reads it back."""
    if isinstance(value, ox.NamedNode):
        return ["u", value.value]
    if isinstance(value, ox.BlankNode):
        return ["b", value.value]
    if isinstance(value, ox.Triple):
        return ["t", [term(value.subject), term(value.predicate), term(value.object)]]
    if value.language:
        return ["g", value.value, value.language, *([value.direction.value] if value.direction else [])]
    if value.datatype.value == "http://www.w3.org/2001/XMLSchema#string":
        return ["l", value.value]
    return ["d", value.value, value.datatype.value]


def _send(kind: str, value: Any) -> None:
    sys.stdout.write(json.dumps([kind, value]) + "\n")
    sys.stdout.flush()


def _send_rows(kind: str, rows: list[str]) -> None:
    sys.stdout.write(f'["{kind}", [{", ".join(rows)}]]\n')
    sys.stdout.flush()


def _alarm(seconds: float) -> None:
    """Ends the process by itself, should the parent be stopped and nobody be there to kill it."""
    with contextlib.suppress(AttributeError, ValueError):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory(size: int) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # absent on Windows

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (size if hard < 0 else min(size, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
