"""A Markdown page as a row of blocks, each with its place in the page.

CommonMark with tables; front matter in YAML. What other tools add (admonitions, shortcodes, MDX, HTML) is read as text
where it holds text, and left out where it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kb.sources.inline import Inline, flatten

__all__ = ["Block", "Document", "FrontValue", "parse_markdown"]


@dataclass(frozen=True, slots=True)
class FrontValue:
    """One value of the front matter: `keys` lead to it, `start` and `end` enclose its line in the page."""

    keys: tuple[str, ...]
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One leaf of a page.

    `kind` is heading, paragraph, row or code. `lists` are the ids of the lists around it, outermost first, and `item`
    the id of the innermost list item; `first` says that it opens that item. `quote` is the id of the outermost block
    quote, or 0. A row has one Inline for each cell in `cells` and its table's id in `table`; `header` marks the head
    row. Of code, `info` is the fence's first word and `literal` its text.
    """

    kind: str
    start: int
    end: int
    inline: Inline | None = None
    level: int = 0
    lists: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    first: bool = False
    quote: int = 0
    table: int = 0
    header: bool = False
    cells: tuple[Inline, ...] = ()
    info: str = ""
    literal: str = ""

    @property
    def item(self) -> int:
        """The id of the innermost list item around it, or 0."""
        return self.items[-1] if self.items else 0


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed page."""

    front: tuple[FrontValue, ...]
    blocks: tuple[Block, ...]


_FRONT = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML_FRONT = re.compile(r"\+\+\+[ \t]*\n.*?\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_FRONT = 200
# The lines that open and close the boxes of other tools; what stands in them is text.
_ADMONITION = re.compile(r":::|(?:!!!|\?\?\?\+?) ?\w+|\[!\w+\]\s*$")


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Inline markup is stripped by `flatten`, which keeps offsets; markdown-it's own inline rules do not.
    return MarkdownIt("commonmark").enable(["table"]).disable(["inline"])


def parse_markdown(text: str) -> Document:
    """Parse a page. Never raises: whatever is not Markdown is paragraphs."""
    front, body = _front_matter(text)
    return Document(tuple(front), tuple(_Blocks(text, body).walk()))


# -- front matter -------------------------------------------------------------


def _front_matter(text: str) -> tuple[list[FrontValue], int]:
    """Values of the front matter, and where the body starts."""
    match = _FRONT.match(text)
    if match is None:
        toml = _TOML_FRONT.match(text)
        return [], toml.end() if toml else 0
    try:
        node = yaml.compose(match.group(1), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        node = None
    if not isinstance(node, yaml.MappingNode):
        # A rule of dashes, not front matter, unless it at least looks like keys.
        return [], match.end() if re.search(r"^[\w-]+:", match.group(1), re.MULTILINE) else 0
    lines = _line_starts(text)
    found: list[FrontValue] = []
    for keys, scalar in _scalars(node, ()):
        if len(found) >= _MAX_FRONT:
            break
        first, last = scalar.start_mark.line + 1, scalar.end_mark.line + 1
        if last > first and scalar.end_mark.column == 0:
            last -= 1
        start = lines[min(first, len(lines) - 1)]
        end = lines[last + 1] - 1 if last + 1 < len(lines) else len(text)
        found.append(FrontValue(keys, str(scalar.value), start, max(start, min(end, match.end()))))
    return found, match.end()


def _scalars(node: yaml.Node, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], yaml.ScalarNode]]:
    # Three levels deep and no further: nodes may be shared, so a small file can spell an endless tree.
    if isinstance(node, yaml.ScalarNode):
        yield keys, node
    elif isinstance(node, yaml.SequenceNode) and len(keys) < 3:
        for one in node.value[:_MAX_FRONT]:
            if isinstance(one, (yaml.ScalarNode, yaml.MappingNode)):
                yield from _scalars(one, keys)
    elif isinstance(node, yaml.MappingNode) and len(keys) < 2:
        for key, value in node.value[:_MAX_FRONT]:
            if isinstance(key, yaml.ScalarNode):
                yield from _scalars(value, (*keys, str(key.value)))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    return starts


# -- blocks -------------------------------------------------------------------


@dataclass
class _Blocks:
    text: str
    body: int
    counter: int = 0
    lists: list[int] = field(default_factory=list)
    items: list[int] = field(default_factory=list)
    quotes: list[int] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        # markdown-it counts lines at \n only after it has normalised \r\n and \0; pages have neither of the first.
        self.starts = [self.body]
        self.starts.extend(match.end() for match in re.compile("\n").finditer(self.text, self.body))

    def number(self) -> int:
        self.counter += 1
        return self.counter

    def line(self, number: int) -> tuple[int, int]:
        """Offsets of a line without its end."""
        if number >= len(self.starts):
            return len(self.text), len(self.text)
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        return self.starts[number], end

    def walk(self) -> Iterator[Block]:
        tokens = _parser().parse(self.text[self.body :].replace("\r", " "))
        position = 0
        while position < len(tokens):
            token = tokens[position]
            kind = token.type
            if kind in ("bullet_list_open", "ordered_list_open"):
                self.lists.append(self.number())
            elif kind in ("bullet_list_close", "ordered_list_close"):
                self.lists.pop()
            elif kind == "list_item_open":
                self.items.append(self.number())
            elif kind == "list_item_close":
                self.items.pop()
            elif kind == "blockquote_open":
                self.quotes.append(self.number())
            elif kind == "blockquote_close":
                self.quotes.pop()
            elif kind == "table_open":
                end = next(i for i in range(position, len(tokens)) if tokens[i].type == "table_close")
                yield from self.table(tokens[position:end])
                position = end
            elif kind == "inline" and token.map is not None:
                level = int(tokens[position - 1].tag[1:]) if tokens[position - 1].type == "heading_open" else 0
                yield self.prose(token, level)
            elif kind in ("fence", "code_block") and token.map is not None:
                yield self.code(token)
            elif kind == "html_block" and token.map is not None:
                yield from self.html(token)
            position += 1

    def place(self) -> dict[str, object]:
        item = self.items[-1] if self.items else 0
        first = bool(item) and item not in self.opened
        self.opened.add(item)
        return {
            "lists": tuple(self.lists),
            "items": tuple(self.items),
            "first": first,
            "quote": self.quotes[0] if self.quotes else 0,
        }

    def pieces(self, content: str, first: int) -> list[tuple[int, int]]:
        """Where the lines of a block's content stand: each is the tail of a source line."""
        found: list[tuple[int, int]] = []
        for index, part in enumerate(content.split("\n")):
            start, end = self.line(first + index)
            wanted = part.strip()
            if _ADMONITION.match(wanted):
                continue
            at = self.text.rfind(wanted, start, end) if wanted else -1
            if at < 0:
                at, stop = start, end
            else:
                stop = at + len(wanted)
            if wanted:
                found.append((at, stop))
        return found

    def prose(self, token: Token, level: int) -> Block:
        assert token.map is not None
        first = token.map[0]
        pieces = self.pieces(token.content, first) or [(self.line(first)[0], self.line(first)[0])]
        kind = "heading" if level else "paragraph"
        return Block(
            kind,
            pieces[0][0],
            max(pieces[-1][1], pieces[0][0]),
            flatten(self.text, pieces),
            level,
            **self.place(),  # type: ignore[arg-type]
        )

    def code(self, token: Token) -> Block:
        assert token.map is not None
        start, end = self.line(token.map[0])[0], self.line(max(token.map[0], token.map[1] - 1))[1]
        info = token.info.strip().split(" ")[0].lower() if token.info else ""
        return Block("code", start, end, info=info, literal=token.content, **self.place())  # type: ignore[arg-type]

    def html(self, token: Token) -> Iterator[Block]:
        """Text between tags. Scripts, styles and comments hold none."""
        assert token.map is not None
        first, last = token.map
        start, end = self.line(first)[0], self.line(max(first, last - 1))[1]
        raw = self.text[start:end]
        if re.match(r"\s*<(?:!--|script|style|!|\?)", raw, re.IGNORECASE):
            return
        pieces = [(a, b) for a, b in map(self.line, range(first, last)) if b > a]
        if pieces:
            yield Block("paragraph", start, end, flatten(self.text, pieces), **self.place())  # type: ignore[arg-type]

    def table(self, tokens: list[Token]) -> Iterator[Block]:
        number = self.number()
        cells: list[Inline] = []
        cursor = row_start = row_end = 0
        place = self.place()
        header = False
        for token in tokens:
            if token.type == "thead_open":
                header = True
            elif token.type == "tbody_open":
                header = False
            elif token.type == "tr_open":
                assert token.map is not None or cells is not None
                cells, cursor = [], -1
            elif token.type == "inline" and token.map is not None:
                if cursor < 0:
                    row_start, row_end = self.line(token.map[0])
                    cursor = row_start
                start, end = self.cell(token.content, cursor, row_end)
                cells.append(flatten(self.text, [(start, end)]))
                cursor = end
            elif token.type == "tr_close" and cells and cursor >= 0:
                yield Block(
                    "row",
                    *self.trimmed(row_start, row_end),
                    table=number,
                    header=header,
                    cells=tuple(cells),
                    **place,  # type: ignore[arg-type]
                )

    def cell(self, content: str, cursor: int, end: int) -> tuple[int, int]:
        wanted = content.strip()
        at = self.text.find(wanted, cursor, end) if wanted else -1
        if at < 0 and "|" in wanted:
            wanted = wanted.replace("|", "\\|")
            at = self.text.find(wanted, cursor, end)
        return (at, at + len(wanted)) if at >= 0 else (cursor, cursor)

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        raw = self.text[start:end]
        return start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip())
