"""`kb prompt`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.cli._options import json_option, kb_option
from kb.cli._output import counted, echo, echo_json, note

if TYPE_CHECKING:
    from kb.config import Config
    from kb.llm import Prompt

__all__ = ["command"]


@click.command()
@click.argument("page", required=False)
@click.option("--question", metavar="TEXT", help="Print what a model is asked to turn this question into a plan.")
@kb_option
@json_option
def command(page: str | None, question: str | None, folder: Path, as_json: bool) -> None:
    """Print what a model is asked about a page or a question.

    PAGE is the id of a page or the path of its file. Needs no model, no key and no build.
    """
    if (page is None) == (question is None):
        raise click.UsageError("Name a page, or give a question with --question.")
    from kb.config import load_config
    from kb.llm.tokens import count_prompt

    config = load_config(folder)
    prompts = _of_page(config, page) if page is not None else [_of_question(config, question or "")]
    if as_json:
        echo_json([_json(prompt) for prompt in prompts])
        return
    for number, prompt in enumerate(prompts):
        if number:
            echo("\n" + "=" * 72 + "\n")
        for message in prompt.messages:
            echo(f"--- {message.role} ---")
            echo(message.content)
            echo()
        note(f"{prompt.label}: about {counted(count_prompt(prompt), 'token')}, and a JSON schema (--json shows it)")
    if not prompts:
        note(f"{page}: has no words to ask about")


def _json(prompt: Prompt) -> dict[str, Any]:
    from kb.extract.llm.prompt import instructions_digest
    from kb.llm.tokens import count_prompt

    return {
        "label": prompt.label,
        "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
        "schema": prompt.schema,
        "digest": instructions_digest(prompt.messages[0].content, prompt.schema),
        "tokens": count_prompt(prompt),
    }


def _of_page(config: Config, wanted: str) -> list[Prompt]:
    """The prompts for the parts of a page."""
    from kb.extract.llm.reader import prompts_of
    from kb.sources.pages import read_page
    from kb.vocabulary import load_vocabulary

    page = read_page(_file(config, wanted))
    # Without [llm] there is no model to ask, but what would be asked is the same.
    tokens = config.llm.get("page_tokens")
    return prompts_of(
        load_vocabulary(config.ontology, config.shapes), page, tokens if isinstance(tokens, int) else None
    )


def _file(config: Config, wanted: str) -> Any:
    import difflib

    from kb.errors import ConfigError, PageError
    from kb.sources.pages import scan_pages

    if config.pages is None:
        raise ConfigError(f"{config.root}: has no folder of pages; name it in kb.toml: [sources] pages")
    files = {file.id: file for file in scan_pages(config.pages, config).files}
    by_path = {file.path.resolve(): file for file in files.values()}
    found = files.get(wanted) or by_path.get(Path(wanted).resolve()) or by_path.get((config.root / wanted).resolve())
    if found is None:
        close = difflib.get_close_matches(wanted, files, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise PageError(f"{wanted}: no such page below {config.shown(config.pages)}{hint}")
    return found


def _of_question(config: Config, question: str) -> Prompt:
    from kb.ask.plan_prompt import plan_prompt
    from kb.sources.catalogue import load_catalogue
    from kb.vocabulary import load_vocabulary

    vocabulary = load_vocabulary(config.ontology, config.shapes)
    catalogue = load_catalogue(config.catalogue, vocabulary, config)
    return plan_prompt(question, vocabulary, catalogue)
