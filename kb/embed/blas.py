"""Matrix products on one thread each, so that our own threads do not wait for those of the library below NumPy.

Threads of such a library wait for each other in every product. On a machine that has other work to do, two of them took
fifteen times as long as one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["one_blas_thread"]

_lock = threading.Lock()
_inside = 0
_controller: Any = None
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside, in every thread of the process, a product runs on the thread that asks for it.

    May be entered again, and by several threads at once: what held before holds again when the last one leaves.
    """
    global _inside, _controller, _limit
    with _lock:
        if not _inside:
            if _controller is None:
                # NumPy must be there before its library can be found.
                import numpy  # noqa: F401, ICN001
                from threadpoolctl import ThreadpoolController

                _controller = ThreadpoolController()
            _limit = _controller.limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()
