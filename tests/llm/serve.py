"""Serves a GGUF file as an OpenAI-compatible endpoint on this machine until it is killed: serve.py FILE PORT."""

from __future__ import annotations

import sys
import time

import xllamacpp


def main(model: str, port: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 4096
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.offline = True
    # Threads of one request wait for each other at every step; on a busy machine one alone is many times faster.
    params.cpuparams.n_threads = 1
    # Kept in a variable: the server ends with its object.
    server = xllamacpp.Server(params)
    while server is not None:
        time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
