"""Wiki pages: which files they are, and their text.

A page that cannot be read is one fault that names it; the others go on.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from kb.config import Config
from kb.errors import Fault, PageError
from kb.model import Page
from kb.sources._text import decode, megabytes, printable, read_bytes
from kb.sources._walk import walk

__all__ = [
    "MAX_PAGE_BYTES",
    "PAGE_SUFFIXES",
    "PageFile",
    "PageScan",
    "page_id",
    "page_title",
    "read_page",
    "scan_pages",
]

PAGE_SUFFIXES = (".md", ".markdown", ".mdx")
"""Of two files that would be one page, the one whose suffix stands first here is read."""

MAX_PAGE_BYTES = 10_000_000
"""The longest page that is read. People write pages of kilobytes; what is larger is a log or a data dump that landed in
the wiki, and reading sentences from it would take the build hours and its memory."""


@dataclass(frozen=True, slots=True)
class PageFile:
    """A page that can be read. `shown` is its path for messages; `size` is in bytes."""

    id: str
    path: Path
    shown: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class PageScan:
    """The pages of a wiki sorted by id, and the files that should be pages but cannot be."""

    files: tuple[PageFile, ...]
    faults: tuple[Fault, ...]


def page_id(name: str) -> str:
    """The id of the page in the file `name`, a `/`-separated path below the wiki folder.

    >>> page_id("runbooks/payouts.stuck.md")
    'runbooks/payouts.stuck'
    """
    lowered = name.lower()
    return next((name[: -len(suffix)] for suffix in PAGE_SUFFIXES if lowered.endswith(suffix)), name)


def scan_pages(folder: Path, config: Config) -> PageScan:
    """Looks at every file below `folder` once, opens none."""
    found = walk(folder, PAGE_SUFFIXES)
    faults = [Fault(printable(config.shown(folder / name)), None, message) for name, message in found.faults]
    pages: dict[str, PageFile] = {}
    for file in sorted(found.files, key=lambda one: (page_id(one.name), _rank(one.name), one.name)):
        shown, name = config.shown(file.path), page_id(file.name)
        if name in pages:
            faults.append(
                Fault(
                    shown, None, f"is the page {name!r} a second time, beside {pages[name].shown}; rename or remove one"
                )
            )
        elif file.size > MAX_PAGE_BYTES:
            faults.append(
                Fault(
                    shown,
                    None,
                    f"has {megabytes(file.size)}; pages over {megabytes(MAX_PAGE_BYTES)} are not read: "
                    "split it, or move it out of the wiki",
                )
            )
        else:
            pages[name] = PageFile(name, file.path, shown, file.size, file.mtime_ns)
    return PageScan(tuple(pages.values()), tuple(sorted(faults, key=lambda fault: fault.file)))


def _rank(name: str) -> int:
    return next(i for i, suffix in enumerate(PAGE_SUFFIXES) if name.lower().endswith(suffix))


def read_page(file: PageFile) -> Page:
    """Reads one page. Raises PageError with one fault for a page that is no UTF-8 text or cannot be opened."""
    data = read_bytes(file.path, file.shown, MAX_PAGE_BYTES, "page")
    text = data if isinstance(data, Fault) else decode(data, file.shown)
    if isinstance(data, Fault) or isinstance(text, Fault):
        fault = data if isinstance(data, Fault) else text
        assert isinstance(fault, Fault)
        raise PageError("a page cannot be read:", [fault])
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Page(file.id, text, hashlib.sha256(data).hexdigest(), file.shown)


def page_title(page: Page) -> str:
    """The `title` of the front matter, else the first heading of level one, else the page's id."""
    text = page.text
    front = re.match(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", text, re.DOTALL)
    if front:
        title = re.search(r"^title[ \t]*:[ \t]*(\S.*?)[ \t]*$", front.group(1), re.MULTILINE)
        if title:
            plain = title.group(1)
            quoted = re.fullmatch(r"(['\"])(.*)\1", plain)
            return (quoted.group(2) if quoted else plain) or page.id
        text = text[front.end() :]
    unfenced = re.sub(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    heading = re.search(r"^ {0,3}#[ \t]+(\S.*?)[ \t]*#*[ \t]*$|^(\S.*?)[ \t]*\n=+[ \t]*$", unfenced, re.MULTILINE)
    if heading is None:
        return page.id
    words = heading.group(1) or heading.group(2)
    words = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", words)
    return re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", words).strip() or page.id
