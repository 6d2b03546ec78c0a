"""Which process is which, also after its number went to another one."""

from __future__ import annotations

import os
import socket
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Process"]


@dataclass(frozen=True, slots=True)
class Process:
    """A process by host, boot, number and start time; None for what this system does not tell."""

    pid: int
    start: int | None
    host: str
    boot: str | None

    @classmethod
    def current(cls) -> Process:
        """The process that runs this."""
        return cls(os.getpid(), _start_time(os.getpid()), socket.gethostname(), _boot_id())

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Process:
        """Reads what `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        start, boot = data.get("start"), data.get("boot")
        return cls(int(data["pid"]), None if start is None else int(start), str(data["host"]), boot and str(boot))

    def to_json(self) -> dict[str, Any]:
        """For a file beside what the process holds."""
        return asdict(self)

    @property
    def alive(self) -> bool:
        """Whether it still runs. One on another host counts as alive: nobody here can tell."""
        if self.host != socket.gethostname():
            return True
        if self.boot != _boot_id():
            return False
        start = _start_time(self.pid)
        if start is not None and self.start is not None:
            return start == self.start
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return True


def _start_time(pid: int) -> int | None:
    """Clock ticks from boot to the start of a process; None where there is no /proc or no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the command's name before it may hold anything
    return int(fields[19]) if len(fields) > 19 else None


@cache
def _boot_id() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
