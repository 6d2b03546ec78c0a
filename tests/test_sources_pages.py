"""Pages are found, named, decoded; whatever cannot be one is a fault that names it."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.config import Config
from kb.errors import Fault, PageError
from kb.sources import _walk, pages
from kb.sources.pages import MAX_PAGE_BYTES, PAGE_SUFFIXES, PageFile, PageScan, page_id, read_page, scan_pages

Scan = Callable[[], PageScan]


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    folder = tmp_path / "kb" / "pages"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def scan(wiki: Path) -> Scan:
    root = wiki.parent
    config = Config(root, "https://x.example/", (), (), root / "kg", wiki, ())
    return lambda: scan_pages(wiki, config)


def ids(found: PageScan) -> list[str]:
    return [file.id for file in found.files]


def only_fault(found: PageScan) -> Fault:
    assert len(found.faults) == 1, found.faults
    return found.faults[0]


def page_fault(found: PageScan) -> Fault:
    with pytest.raises(PageError) as caught:
        read_page(found.files[0])
    assert len(caught.value.faults) == 1
    assert str(caught.value.faults[0]) in str(caught.value)
    return caught.value.faults[0]


# -- which files are pages --------------------------------------------------


def test_the_id_is_the_path_below_the_folder_without_suffix_and_pages_come_sorted_by_it(wiki: Path, scan: Scan) -> None:
    for name in ("b.md", "a.markdown", "run.books/deep/er/x.mdx", "Z.MD", "v1.2.md", "notes.txt", "folder.md/in.md"):
        (wiki / name).parent.mkdir(parents=True, exist_ok=True)
        (wiki / name).write_text("text")
    found = scan()
    assert ids(found) == ["Z", "a", "b", "folder.md/in", "run.books/deep/er/x", "v1.2"]
    assert found.faults == ()
    assert found.files[4].shown == "pages/run.books/deep/er/x.mdx"
    assert found.files[4].path.read_text() == "text"
    assert found.files[4].size == 4


def test_hidden_files_and_folders_are_no_pages(wiki: Path, scan: Scan) -> None:
    for name in (".git/x.md", ".obsidian/y.md", "a/.trash/z.md", ".hidden.md", ".md", "seen.md"):
        (wiki / name).parent.mkdir(parents=True, exist_ok=True)
        (wiki / name).write_text("")
    assert ids(scan()) == ["seen"]


def test_two_files_of_one_id_are_a_fault_and_the_first_suffix_is_read(wiki: Path, scan: Scan) -> None:
    for name in ("a.mdx", "a.markdown", "b.md"):
        (wiki / name).write_text(name)
    found = scan()
    assert [read_page(file).text for file in found.files] == ["a.markdown", "b.md"]
    fault = only_fault(found)
    assert fault.file == "pages/a.mdx"
    assert "'a'" in fault.message
    assert "pages/a.markdown" in fault.message
    assert "rename" in fault.message


def test_a_name_that_is_not_unicode_is_a_fault_whose_text_can_be_printed(wiki: Path, scan: Scan) -> None:
    (wiki / "ok.md").write_text("")
    try:
        Path(os.fsdecode(os.fsencode(wiki) + b"/caf\xe9.md")).write_text("")
        Path(os.fsdecode(os.fsencode(wiki) + b"/d\xff")).mkdir()
    except OSError:
        pytest.skip("this file system takes only Unicode names")
    found = scan()
    assert ids(found) == ["ok"]
    assert [fault.file for fault in found.faults] == ["pages/caf\\xe9.md", "pages/d\\xff"]
    assert "\n".join(map(str, found.faults)).encode("utf-8")


def test_a_page_over_the_limit_is_never_opened(wiki: Path, scan: Scan) -> None:
    with (wiki / "huge.md").open("wb") as stream:
        stream.truncate(50_000_000)
    (wiki / "ok.md").write_text("x")
    found = scan()
    assert ids(found) == ["ok"]
    fault = only_fault(found)
    assert fault.file == "pages/huge.md"
    assert "50 MB" in fault.message
    assert "10 MB" in fault.message
    assert "split it" in fault.message


def test_a_page_that_grew_over_the_limit_after_the_scan_is_not_read_whole(wiki: Path, scan: Scan) -> None:
    (wiki / "a.md").write_text("x")
    found = scan()
    with (wiki / "a.md").open("wb") as stream:
        stream.truncate(50_000_000)
    assert "over 10 MB" in page_fault(found).message


def test_a_named_pipe_is_a_fault_and_does_not_block(wiki: Path, scan: Scan) -> None:
    os.mkfifo(wiki / "pipe.md")
    assert "not a regular file" in only_fault(scan()).message


def test_a_folder_that_cannot_be_listed_is_a_fault_and_the_others_are_read(
    wiki: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever runs the tests may be allowed everything, so the refusal is played.
    (wiki / "shut").mkdir()
    (wiki / "ok.md").write_text("")
    real = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(_walk.os, "scandir", refuse)
    found = scan()
    assert ids(found) == ["ok"]
    assert str(only_fault(found)) == "pages/shut: folder cannot be read: Permission denied; check its permissions"


def test_every_page_is_looked_at_once_and_none_is_opened(
    wiki: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(30):
        (wiki / f"d{i % 3}").mkdir(exist_ok=True)
        (wiki / f"d{i % 3}" / f"{i}.md").write_text("x")
    listed: list[str] = []
    real = os.scandir

    def count(path: str) -> object:
        listed.append(path)
        return real(path)

    monkeypatch.setattr(_walk.os, "scandir", count)
    stats: list[object] = []
    # An audit hook cannot be taken out again, so it must do nothing once the test is over.
    watching = [True]
    sys.addaudithook(lambda event, args: stats.append(args) if watching[0] and event == "open" else None)
    found = scan()
    watching[0] = False
    assert len(found.files) == 30
    assert len(listed) == 4
    assert stats == []


# -- symbolic links -----------------------------------------------------------


def test_a_link_to_a_page_that_is_read_anyway_adds_nothing(wiki: Path, scan: Scan) -> None:
    (wiki / "real.md").write_text("x")
    (wiki / "again.md").symlink_to("real.md")
    (wiki / "d").mkdir()
    (wiki / "e").symlink_to("d")
    found = scan()
    assert ids(found) == ["real"]
    assert found.faults == ()


def test_a_link_to_a_file_inside_that_is_no_page_by_itself_is_followed_once(wiki: Path, scan: Scan) -> None:
    (wiki / "README").write_text("hello")
    (wiki / "index.md").symlink_to("README")
    (wiki / "start.md").symlink_to("README")
    (wiki / ".shared").mkdir()
    (wiki / ".shared" / "p.md").write_text("p")
    (wiki / "shared").symlink_to(".shared")
    found = scan()
    assert [(file.id, read_page(file).text) for file in found.files] == [("index", "hello"), ("shared/p", "p")]
    assert found.faults == ()


@pytest.mark.parametrize("target", [".", "..", "../pages", "d"])
def test_a_link_back_to_a_folder_above_is_a_fault_and_ends(wiki: Path, scan: Scan, target: str) -> None:
    (wiki / "d").mkdir()
    (wiki / "d" / "a.md").write_text("x")
    (wiki / "d" / "loop").symlink_to(Path("..") / target if target != ".." else "..")
    found = scan()
    assert ids(found) == ["d/a"]
    assert only_fault(found).file == "pages/d/loop"


def test_links_that_lead_to_each_other_are_faults(wiki: Path, scan: Scan) -> None:
    (wiki / "a.md").symlink_to("b.md")
    (wiki / "b.md").symlink_to("a.md")
    (wiki / "self").symlink_to("self")
    found = scan()
    assert found.files == ()
    assert [fault.file for fault in found.faults] == ["pages/a.md", "pages/b.md", "pages/self"]
    assert all("leads to itself; remove" in fault.message for fault in found.faults)


def test_links_out_of_the_folder_are_faults_and_what_they_lead_to_is_not_read(wiki: Path, scan: Scan) -> None:
    outside = wiki.parent / "secret.md"
    outside.write_text("secret")
    beside = wiki.parent / "pages-private"
    beside.mkdir()
    (beside / "x.md").write_text("secret")
    (wiki / "file.md").symlink_to(outside)
    (wiki / "folder").symlink_to(beside)
    (wiki / "picture.png").symlink_to("/dev/null")
    (wiki / "ok.md").write_text("")
    found = scan()
    assert ids(found) == ["ok"]
    assert [fault.file for fault in found.faults] == ["pages/file.md", "pages/folder"]
    assert all("out of the folder" in fault.message for fault in found.faults)


def test_a_link_to_nothing_is_a_fault_where_a_page_was_meant(wiki: Path, scan: Scan) -> None:
    (wiki / "gone.md").symlink_to("nowhere.md")
    (wiki / "gone").symlink_to("nowhere")
    assert only_fault(scan()).file == "pages/gone.md"


# -- text -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf# A\n", "# A\n"),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        ("naïve – 😀".encode(), "naïve – 😀"),
        (b"\xef\xbb\xbf", ""),
    ],
    ids=["empty", "byte order mark", "line ends", "beyond ASCII", "only a mark"],
)
def test_text_is_decoded_and_the_digest_is_of_the_bytes(wiki: Path, scan: Scan, data: bytes, text: str) -> None:
    (wiki / "a.md").write_bytes(data)
    page = read_page(scan().files[0])
    assert (page.id, page.text, page.path) == ("a", text, "pages/a.md")
    assert page.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"ok\nok\n\x89PNG\r\n\x1a\n\x00\x00", 5, "binary"),
        ("häuser\n".encode("latin-1"), 1, "byte 1 is 0xE4"),
        (b"\xef\xbb\xbfab\n\xff", 2, "byte 6 is 0xFF"),
        ("text".encode("utf-16"), 1, "UTF-16"),
        ("text".encode("utf-16-be"), 1, "binary"),
        ("\ufefftext".encode("utf-32"), 1, "UTF-32"),
        (b"\xed\xa0\x80", 1, "not UTF-8"),
    ],
)
def test_what_is_no_utf8_text_is_a_fault_with_line_and_next_step(
    wiki: Path, scan: Scan, data: bytes, line: int, said: str
) -> None:
    (wiki / "a.md").write_bytes(data)
    fault = page_fault(scan())
    assert (fault.file, fault.line) == ("pages/a.md", line)
    assert said in fault.message
    assert "save it as UTF-8" in fault.message


def test_a_page_that_may_not_be_opened_is_a_fault(wiki: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch) -> None:
    (wiki / "a.md").write_text("x")
    found = scan()

    def refuse(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert str(page_fault(found)).startswith("pages/a.md: cannot be read: Permission denied; check")


def test_a_page_that_went_away_after_the_scan_is_a_fault(wiki: Path, scan: Scan) -> None:
    (wiki / "a.md").write_text("x")
    found = scan()
    (wiki / "a.md").unlink()
    assert "No such file" in page_fault(found).message


@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_page_or_a_page_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.md"
    path.write_bytes(data)
    try:
        page = read_page(PageFile("any", path, "any.md", len(data), 0))
    except PageError as err:
        assert err.faults[0].line is not None  # noqa: PT017
    else:
        assert "\r" not in page.text
        assert page.text.encode() == data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


_PARTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda part: not part.startswith(".")
)


@given(parts=st.lists(_PARTS, min_size=1, max_size=4), suffix=st.sampled_from(PAGE_SUFFIXES))
def test_a_path_and_its_page_id_differ_by_the_suffix_alone(parts: list[str], suffix: str) -> None:
    name = "/".join(parts)
    assert page_id(name + suffix) == name
    assert page_id(name + suffix.upper()) == name


def test_the_limit_is_above_what_people_write() -> None:
    assert MAX_PAGE_BYTES == pages.MAX_PAGE_BYTES >= 1_000_000
