"""`kb.toml`: where a knowledge base's inputs are and how they are read.

A folder is a knowledge base when it holds a `kb.toml`. Every key but `base` has a default; unknown keys are errors, so
that a typing mistake does not silently turn a setting off.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from kb.errors import ConfigError, NoKnowledgeBaseError
from kb.iris import Iris

__all__ = ["CONFIG_NAME", "READERS", "Config", "enclosing", "load_config", "notes_config", "opening_config", "packaged"]

CONFIG_NAME = "kb.toml"
SCHEMA_MODULE = "schemas.ttl"
_CURRENT = "CURRENT"
"""What a folder has that something was published into; see `kb.generations`."""
NOTES_BASE = "https://w3id.org/wiki-kb/notes/"
"""The base of schema notes that no knowledge base claims."""

_KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "kb": {"base": str, "ontology": (str, list), "shapes": (str, list), "store": str},
    "sources": {"pages": str, "catalogue": (str, list), "schemas": str},
    "read": {"reader": str},
    "ask": {"planner": str, "method": str},
    "llm": {},  # checked by kb.llm.settings, when a model is asked
    "embed": {},
    "dataset": {"title": str, "description": str, "licence": str, "publisher": str},
    "reason": {"engine": str, "skip": (str, list)},  # what they may say: kb.reason.settings
}
READERS = ("phrases", "llm")
_CHOICES = {
    ("read", "reader"): READERS,
    ("ask", "planner"): ("search", "llm"),
    ("ask", "method"): ("graph", "vector", "hybrid", "routed"),
    ("reason", "engine"): ("owlrl", "reasonable", "none"),
}


def packaged(folder: str) -> Path:
    """The folder `ontology`, `shapes` or `queries` that ships with `kb`, in a wheel as in a checkout."""
    inside = Path(str(resources.files("kb"))) / folder
    return inside if inside.is_dir() else Path(__file__).resolve().parent.parent / folder


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one knowledge base. All paths are absolute; `root` is the folder that holds `kb.toml`."""

    root: Path
    base: str
    ontology: tuple[Path, ...]
    shapes: tuple[Path, ...]
    store: Path
    pages: Path | None
    catalogue: tuple[Path, ...]
    schemas: Path | None = None
    reader: str = "phrases"
    ask: dict[str, str] = field(default_factory=dict)
    llm: dict[str, Any] = field(default_factory=dict)
    embed: dict[str, Any] = field(default_factory=dict)
    reason: dict[str, Any] = field(default_factory=dict)
    dataset: dict[str, str] = field(default_factory=dict)

    def shown(self, path: Path) -> str:
        """`path` as a person in the knowledge base's folder would write it."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)


def enclosing(folder: Path) -> Path | None:
    """The nearest folder, of this one and those above it, that holds a `kb.toml`; None where none does."""
    here = folder.resolve()
    return next((one for one in (here, *here.parents) if (one / CONFIG_NAME).is_file()), None)


def load_config(folder: Path) -> Config:
    """Reads `folder/kb.toml`.

    Raises NoKnowledgeBaseError where there is none, ConfigError for one that is wrong.
    """
    root = folder.resolve()
    path = root / CONFIG_NAME
    if not path.is_file():
        if (root / _CURRENT).is_file():
            raise NoKnowledgeBaseError(
                f"{folder}: holds what `kb build --schemas DIR --out {folder}` made, and no {CONFIG_NAME}; build it "
                "again in that way"
            )
        raise NoKnowledgeBaseError(
            f"{folder}: no {CONFIG_NAME} here; run `kb init` to make one, or name the folder with --kb"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as err:
        raise ConfigError(f"{path}: not valid TOML: {err}") from err
    except OSError as err:
        raise ConfigError(f"{path}: cannot be read: {err}") from err
    _check_keys(path, data)
    kb, sources = data.get("kb", {}), data.get("sources", {})
    if "base" not in kb:
        raise ConfigError(f'{path}: [kb] needs base = "https://…/", the address below which entity IRIs are minted')
    try:
        Iris(kb["base"])
    except ConfigError as err:
        raise ConfigError(f"{path}: {err}") from err
    for (section, key), known in _CHOICES.items():
        chosen = data.get(section, {}).get(key, known[0])
        if chosen not in known:
            raise ConfigError(f"{path}: [{section}] {key} = {chosen!r} is unknown; known: {', '.join(known)}")
    if "://" in kb.get("store", ""):
        raise ConfigError(f"{path}: store = {kb['store']!r} is an address; name a folder, such as kg")
    ontology = _paths(root, kb.get("ontology"))
    shapes = _paths(root, kb.get("shapes"))
    schemas = root / sources["schemas"] if "schemas" in sources else _existing(root / "schemas")
    default_modules = ("systems.ttl", "schemas.ttl")
    if schemas is not None and ontology and not any(one.name == SCHEMA_MODULE for one in ontology):
        # Schema notes are a format of ours; whoever has some need not name the module that they are told in.
        ontology = (*ontology, packaged("ontology") / SCHEMA_MODULE)
        shapes = (*shapes, packaged("shapes") / SCHEMA_MODULE)
    config = Config(
        root=root,
        base=kb["base"],
        ontology=ontology or tuple(packaged("ontology") / name for name in default_modules),
        shapes=shapes or (() if ontology else tuple(packaged("shapes") / name for name in default_modules)),
        store=root / kb.get("store", "kg"),
        pages=root / sources["pages"] if "pages" in sources else _existing(root / "pages"),
        catalogue=_paths(root, sources.get("catalogue")) or _default_catalogue(root),
        schemas=schemas,
        reader=data.get("read", {}).get("reader", "phrases"),
        ask=data.get("ask", {}),
        llm=data.get("llm", {}),
        embed=data.get("embed", {}),
        # A section without keys asks for inferences as well.
        reason={"engine": "owlrl", **data["reason"]} if "reason" in data else {},
        dataset=data.get("dataset", {}),
    )
    for what, files in (("ontology", config.ontology), ("shapes", config.shapes), ("catalogue", config.catalogue)):
        for item in files:
            if not item.exists():
                raise ConfigError(
                    f"{path}: {what} names {config.shown(item)!r}, which does not exist; make it, or name another"
                )
    for key, place in (("pages", config.pages), ("schemas", config.schemas)):
        if place is not None and not place.is_dir():
            hint = "name one that is there, or remove the line"
            raise ConfigError(f"{path}: {key} names {config.shown(place)!r}, which is not a folder; {hint}")
    return config


def notes_config(folder: Path | None, schema_dir: Path | None, kg_dir: Path | None) -> Config:
    """The settings of `folder`, with other folders for schema notes and for what is built where these are not None.

    Without a folder, or in one without `kb.toml`, there are only the notes: those of `schemas/` unless another folder
    is named, built into `kg/` beside them. Where a knowledge base publishes into that folder already, its `kb.toml`
    counts, lest the notes alone replace its wiki. Raises ConfigError for a folder that is not there.
    """
    if folder is not None and ((folder / CONFIG_NAME).is_file() or (schema_dir is None and kg_dir is None)):
        config = load_config(folder)
    else:
        schemas = (folder or Path()) / "schemas" if schema_dir is None else schema_dir
        root = schemas.resolve().parent
        owner = _publishing_into(root if kg_dir is None else kg_dir.resolve().parent, kg_dir)
        modules = tuple(packaged(name) / SCHEMA_MODULE for name in ("ontology", "shapes"))
        alone = Config(root, NOTES_BASE, modules[:1], modules[1:], root / "kg", None, (), schemas.resolve())
        config = owner or alone
    if schema_dir is not None:
        config = replace(config, schemas=schema_dir.resolve())
    if kg_dir is not None:
        config = replace(config, store=kg_dir.resolve())
    if config.schemas is not None and not config.schemas.is_dir():
        raise ConfigError(f"{schema_dir or config.schemas}: there is no such folder of schema notes")
    return config


def opening_config(folder: Path) -> Config:
    """The settings of a folder to be opened: of a knowledge base, or of notes that were built without `kb.toml`.

    Raises what `load_config` does.
    """
    root = folder.resolve()
    if (root / CONFIG_NAME).is_file() or not (root / _CURRENT).is_file():
        return load_config(folder)
    modules = tuple(packaged(name) / SCHEMA_MODULE for name in ("ontology", "shapes"))
    return Config(root, NOTES_BASE, modules[:1], modules[1:], root, None, ())


def _publishing_into(folder: Path, store: Path | None) -> Config | None:
    """The settings of `folder`, where it has some, and publishes into `store` unless that is None."""
    if not (folder / CONFIG_NAME).is_file():
        return None
    config = load_config(folder)
    return config if store is None or config.store.resolve() == store.resolve() else None


def _check_keys(path: Path, data: dict[str, Any]) -> None:
    for section, value in data.items():
        homes = [home for home, keys in _KEYS.items() if section in keys]
        if section not in _KEYS and homes and not isinstance(value, dict):
            raise ConfigError(f"{path}: {section!r} stands outside any section; put it below [{homes[0]}]")
        if section not in _KEYS:
            raise ConfigError(f"{path}: unknown section [{section}]{_meant(section, _KEYS)}")
        if not isinstance(value, dict):
            raise ConfigError(f"{path}: {section!r} is a section; write [{section}] and its keys below")
        known = _KEYS[section]
        for key, item in value.items():
            if not known:
                continue
            if key not in known:
                raise ConfigError(f"{path}: unknown key {key!r} in [{section}]{_meant(key, known)}")
            if not isinstance(item, known[key]) or (
                isinstance(item, list) and not all(isinstance(one, str) for one in item)
            ):
                wanted = "text" if known[key] is str else "text or a list of texts"
                raise ConfigError(f"{path}: [{section}] {key} must be {wanted}, not {item!r}")


def _meant(word: str, known: dict[str, Any]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(sorted(known))}"


def _paths(root: Path, value: str | list[str] | None) -> tuple[Path, ...]:
    if value is None:
        return ()
    return tuple(root / item for item in ([value] if isinstance(value, str) else value))


def _existing(path: Path) -> Path | None:
    return path if path.is_dir() else None


def _default_catalogue(root: Path) -> tuple[Path, ...]:
    for name in ("catalogue.yaml", "catalogue.yml", "catalogue.json", "catalog-info.yaml"):
        if (root / name).is_file():
            return (root / name,)
    return ()
