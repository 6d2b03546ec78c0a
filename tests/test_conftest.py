"""The fixtures that every test runs under do what they promise."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest


def test_a_test_has_a_home_of_its_own() -> None:
    assert Path.home() == Path(os.environ["HOME"])
    assert list(Path.home().iterdir()) == []


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_connecting_beyond_this_machine_raises(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as sock, pytest.raises(RuntimeError, match="must not need the network"):
        sock.connect(address)


def test_looking_up_a_foreign_name_raises() -> None:
    with pytest.raises(RuntimeError, match=r"wiki\.example"):
        socket.getaddrinfo("wiki.example", 443)


def test_connecting_to_this_machine_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
