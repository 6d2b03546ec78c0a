"""Advisory locks on files. The system frees them when their process ends, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import weakref
from pathlib import Path

__all__ = ["FileLock"]

_held: weakref.WeakSet[FileLock] = weakref.WeakSet()


class FileLock:
    """An open file with a `flock` on it. `close` frees it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor: int | None = descriptor
        _held.add(self)

    @classmethod
    def take(cls, path: Path, *, shared: bool = False, create: bool = True) -> FileLock | None:
        """Locks a file; None when another holder is in the way. Raises OSError."""
        descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o644)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def tell(self, data: bytes) -> None:
        """Writes into the file who holds it. A full disk does not matter: the lock counts, not what the file says."""
        assert self.descriptor is not None
        with contextlib.suppress(OSError):
            os.ftruncate(self.descriptor, 0)
            os.pwrite(self.descriptor, data, 0)

    def close(self) -> None:
        """Frees the lock. Closing twice is harmless."""
        descriptor, self.descriptor = self.descriptor, None
        _held.discard(self)
        if descriptor is not None:
            os.close(descriptor)


def _forget_in_child() -> None:
    # A forked worker shares the lock and would keep it after its parent was killed.
    for lock in list(_held):
        if lock.descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(lock.descriptor)
            lock.descriptor = None


os.register_at_fork(after_in_child=_forget_in_child)
