"""What every test gets without asking: its own home, no network, no terminal, repeatable random examples."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Machines that run tests are shared, so no deadline; a failure must come back on the next run, so no random seeds.
settings.register_profile(
    "kb", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("kb")


class NetworkBlockedError(RuntimeError):
    """A test tried to reach the network."""


def _is_local(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from, or left in, the home of whoever runs the tests."""
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    for name in ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    # Texts are embedded by hashing their words, whatever the machine has: nothing is downloaded, nobody is asked.
    monkeypatch.setenv("KB_MODELS", str(home / "models"))
    for name in ("KB_EMBED_PROVIDER", "OPENAI_API_KEY", "OPENAI_BASE_URL", "VOYAGE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anything but this machine, and a look-up of any other name, fails the test."""

    def check(host: object) -> None:
        text = host.decode() if isinstance(host, bytes) else str(host or "")
        if not _is_local(text):
            raise NetworkBlockedError(f"a test tried to reach {text!r}; tests must not need the network")

    def guarded(method: Any) -> Any:
        def connect(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                check(address[0])
            return method(self, address)

        return connect

    real_getaddrinfo = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        check(host)
        return real_getaddrinfo(host, *args, **kwargs)

    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
