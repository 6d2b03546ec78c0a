"""A chat endpoint that answers after a fixed time, and costs next to nothing itself: `python model_server.py LATENCY`.

It prints its address, then serves until it is killed. `GET /count` gives the number of requests that came and the most
that were in flight. The reply states what pages of `wiki.py` say in a sentence or two.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time

SAID = re.compile(r"(Service \d+) calls ((?:Service|Store) \d+)[^.]*\.|^Owner: (Team \d+)$", re.MULTILINE)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


class Server:
    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.came = self.flying = self.most = 0
        self.first = self.last = 0.0

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                path = head.split(b" ", 2)[1]
                data = self.count() if path == b"/count" else await self.reply(body)
                said = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
                writer.write(said.encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def count(self) -> bytes:
        seconds = self.last - self.first
        return json.dumps({"came": self.came, "most": self.most, "seconds": seconds}).encode()

    async def reply(self, body: bytes) -> bytes:
        now = time.monotonic()
        self.first = self.first or now
        self.came += 1
        self.flying += 1
        self.most = max(self.most, self.flying)
        asked = json.loads(body)
        page = asked["messages"][-1]["content"]
        await asyncio.sleep(max(0.0, self.latency - (time.monotonic() - now)))
        self.flying -= 1
        self.last = time.monotonic()
        content = json.dumps({"statements": statements(page)})
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(content) // 4}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        return json.dumps(
            {
                "id": "x",
                "object": "chat.completion",
                "model": asked["model"],
                "created": 0,
                "choices": [choice],
                "usage": {**usage, "total_tokens": sum(usage.values())},
            }
        ).encode()


def statements(page: str) -> list[dict[str, str]]:
    title = TITLE.search(page)
    found = []
    for match in SAID.finditer(page):
        owner = (title[1] if title else "", "owned_by", match[3])
        ends = owner if match[3] else (match[1], "depends_on", match[2])
        found.append({"subject": ends[0], "relation": ends[1], "object": ends[2], "quote": match[0]})
    return found


async def serve(latency: float) -> None:
    server = Server(latency)
    listening = await asyncio.start_server(server.connection, "127.0.0.1", 0, backlog=512)
    port = listening.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
