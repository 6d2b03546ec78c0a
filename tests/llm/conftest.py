"""The server, once for all tests; without its packages they are skipped, or fail where they were asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from small_model import Built, built, ferries, missing, served, systems


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if why := missing():
        if os.environ.get("KB_TEST_LLM") == "required":
            pytest.fail(why)
        pytest.skip(why)
    with served(tmp_path_factory.mktemp("server") / "log.txt") as (found, _):
        yield found


@pytest.fixture(scope="session", params=["systems", "ferries"])
def base(request: pytest.FixtureRequest, address: str, tmp_path_factory: pytest.TempPathFactory) -> Built:
    make = {"systems": systems, "ferries": ferries}[request.param]
    return built(make(tmp_path_factory.mktemp(request.param) / "base", address))
