"""What a build would read, and what a language model would cost it, without asking one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kb.config import Config
from kb.errors import Fault, PageError
from kb.generations import Generations
from kb.llm import Prompt
from kb.model import Page, Statement
from kb.pipeline.readers import LazyReader, with_reader
from kb.records import SourceRecord, load_records
from kb.sources.catalogue import load_catalogue
from kb.sources.pages import read_page, scan_pages
from kb.vocabulary import load_vocabulary

if TYPE_CHECKING:
    from kb.extract.llm.estimate import Estimate

__all__ = ["DryRun", "dry_run"]


@dataclass
class DryRun:
    """What would be read. `estimate` is None for a reader that asks nobody."""

    total: int = 0
    to_read: int = 0
    faults: list[str] = field(default_factory=list)
    estimate: Estimate | None = None

    @property
    def exit_code(self) -> int:
        """1 when a page cannot be read."""
        return 1 if self.faults else 0

    def to_json(self) -> dict[str, Any]:
        """Counts of pages, the estimate, and the exit code."""
        return {
            "pages": {"total": self.total, "read": self.to_read, "kept": self.total - self.to_read},
            "estimate": None if self.estimate is None else self.estimate.to_json(),
            "faults": self.faults,
            "exit_code": self.exit_code,
        }


def dry_run(config: Config, *, force: bool = False, reader: str | None = None) -> DryRun:
    """Finds the pages that a build would read, and estimates what a language model would cost.

    Raises what a build would raise before it reads its first page.
    """
    config = with_reader(config, reader)
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    catalogue = load_catalogue(config.catalogue, vocabulary, config)
    result = DryRun()
    with LazyReader(config, vocabulary, catalogue) as lazy:
        known = {} if force else _known(config, lazy, catalogue.digest, vocabulary.digest)
        if not lazy.by_model:
            result.to_read = sum(1 for _ in _changed(config, known, result))
            return result
        from kb.extract.llm.estimate import estimate
        from kb.llm.session import reading_journal

        def expected(page: Page) -> tuple[Statement, ...]:
            return next(iter(lazy.phrases.read_all([page]))).statements

        def prompts() -> Iterator[tuple[Page, list[Prompt]]]:
            for page in _changed(config, known, result):
                result.to_read += 1
                yield page, lazy.unasked.prompts(page)

        with reading_journal(config) as journal:
            result.estimate = estimate(prompts(), journal, lazy.unasked.settings, expected)
    return result


def _known(config: Config, reader: LazyReader, catalogue: str, vocabulary: str) -> dict[str, SourceRecord]:
    """The records of pages that a build would take over."""
    current = Generations(config.store).current()
    if current is None:
        return {}
    key = current.meta.get("key", {})
    same = key.get("reader") == reader.identity
    if not reader.by_model:
        same = same and key.get("catalogue") == catalogue and key.get("vocabulary") == vocabulary
    if not same:
        return {}
    return {source: record for (kind, source), record in load_records(current).items() if kind == "page"}


def _changed(config: Config, known: dict[str, SourceRecord], result: DryRun) -> Iterator[Page]:
    if config.pages is None:
        return
    scan = scan_pages(config.pages, config)
    result.total = len(scan.files)
    result.faults.extend(str(fault) for fault in scan.faults)
    for file in scan.files:
        try:
            page = read_page(file)
        except PageError as err:
            result.faults.extend(str(fault) for fault in err.faults or [Fault(file.shown, None, str(err))])
            continue
        old = known.get(page.id)
        if old is None or old.digest != page.digest:
            yield page
