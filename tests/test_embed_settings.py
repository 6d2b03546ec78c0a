"""Which provider embeds: what kb.toml and the environment say, and what an index was made with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kb.config import Config, load_config
from kb.embed.hosted import HostedProvider
from kb.embed.minilm import MiniLmProvider
from kb.embed.models import MODELS, folder_of
from kb.embed.opening import check_ready, default_note, identity_of, open_provider, provider_of
from kb.embed.settings import EmbedSettings, embed_settings
from kb.errors import ConfigError, EmbeddingError

MINILM = "minilm:53aa51172d14:256:mean"


def config(folder: Path, embed: str = "") -> Config:
    (folder / "kb.toml").write_text(f'[kb]\nbase = "https://wiki.example.org/"\n{embed}')
    return load_config(folder)


def pretend_installed() -> None:
    """Files of the right sizes, as holes: enough for what only looks whether they are there."""
    folder = folder_of("minilm")
    folder.mkdir(parents=True)
    for name, (size, _) in MODELS["minilm"].files.items():
        with (folder / name).open("wb") as file:
            file.truncate(size)


# -- settings ---------------------------------------------------------------------------


def test_without_a_section_nothing_is_chosen(tmp_path: Path) -> None:
    assert embed_settings(config(tmp_path)) == embed_settings(None) == EmbedSettings()


def test_hosted_providers_have_defaults_of_their_own(tmp_path: Path) -> None:
    openai = embed_settings(config(tmp_path, '[embed]\nprovider = "openai"'))
    voyage = embed_settings(config(tmp_path, '[embed]\nprovider = "voyage"\ndimensions = 512\nworkers = 9'))
    assert (openai.model, openai.api_key_env, openai.text_tokens) == ("text-embedding-3-small", "OPENAI_API_KEY", 8191)
    assert (voyage.model, voyage.api_key_env, voyage.dimensions) == ("voyage-4-lite", "VOYAGE_API_KEY", 512)
    assert voyage.workers == 9


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('provider = "opanai"', "did you mean 'openai'"),
        ('provider = "x"', "known: minilm, hashing, openai, voyage"),
        ("provider = 3", "provider must be text"),
        ('provider = "openai"\nmodle = "x"', "unknown key 'modle'; did you mean 'model'"),
        ('provider = "openai"\nzzz = "x"', "unknown key 'zzz'; known: api_key_env, "),
        ('provider = "openai"\nmodel = ""', "model must be text"),
        ('provider = "openai"\nbase_url = "localhost"', "base_url must start with http"),
        ('provider = "openai"\napi_key_env = "sk-123"', "the key itself must not be here"),
        ('provider = "openai"\ndimensions = 0', "dimensions must be a whole number of at least 1"),
        ('provider = "openai"\nretries = true', "retries must be a whole number"),
        ('provider = "openai"\ntimeout = inf', "timeout must be a number of seconds"),
        ('provider = "minilm"\nworkers = 1000', "workers must be at most 64"),
        ('provider = "minilm"\nmodel = "x"', r"model is for the providers openai and voyage, .*'minilm'"),
        ('model = "x"', "model is for the providers openai and voyage, and there is no provider"),
    ],
)
def test_what_is_wrong_in_kb_toml_is_named(tmp_path: Path, lines: str, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"kb\.toml: \[embed\] .*{said}"):
        embed_settings(config(tmp_path, f"[embed]\n{lines}"))


def test_the_environment_goes_before_kb_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = config(tmp_path, '[embed]\nprovider = "openai"\nmodel = "mine"\nbase_url = "http://localhost:1/v1"')
    monkeypatch.setenv("KB_EMBED_PROVIDER", "openai")
    assert embed_settings(named).model == "mine"
    monkeypatch.setenv("KB_EMBED_PROVIDER", "voyage")
    assert (embed_settings(named).model, embed_settings(named).base_url) == ("voyage-4-lite", None)
    monkeypatch.setenv("KB_EMBED_PROVIDER", "hashing")
    assert open_provider(named).identity == "hashing/2"
    monkeypatch.setenv("KB_EMBED_PROVIDER", "hashin")
    with pytest.raises(
        ConfigError, match="KB_EMBED_PROVIDER is 'hashin', which is no provider; did you mean 'hashing'"
    ):
        embed_settings(named)


# -- the provider of a build ------------------------------------------------------------------


def test_without_a_choice_words_are_hashed_until_the_model_is_there(tmp_path: Path) -> None:
    assert open_provider(None).identity == open_provider(config(tmp_path)).identity == "hashing/2"
    assert "`kb models fetch` gets one" in (default_note(config(tmp_path)) or "")
    assert default_note(config(tmp_path, '[embed]\nprovider = "hashing"')) is None
    pretend_installed()
    assert (open_provider(config(tmp_path)).identity, default_note(config(tmp_path))) == (MINILM, None)


def test_a_model_that_is_named_and_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"all-MiniLM-L6-v2 is not in .*run `kb models fetch minilm`"):
        open_provider(config(tmp_path, '[embed]\nprovider = "minilm"'))


def test_a_model_with_other_bytes_is_an_error(tmp_path: Path) -> None:
    pretend_installed()
    with pytest.raises(EmbeddingError, match=r"model\.safetensors: not the file .*run `kb models fetch minilm`"):
        check_ready(open_provider(config(tmp_path)))


def test_a_key_is_wanted_when_the_provider_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = open_provider(config(tmp_path, '[embed]\nprovider = "voyage"\napi_key_env = "MINE"'))
    with pytest.raises(EmbeddingError, match="environment variable MINE holds no key"):
        check_ready(provider)
    monkeypatch.setenv("MINE", "ключ")
    with pytest.raises(EmbeddingError, match="characters that no key has"):
        check_ready(provider)
    monkeypatch.setenv("MINE", "pa-0123456789")
    check_ready(provider)


@pytest.mark.parametrize(
    ("lines", "identity", "family", "dimension", "weight", "threshold"),
    [
        ('"hashing"', "hashing/2", None, 512, 0.1, 0.5),
        ('"openai"', "openai:text-embedding-3-small", None, None, 0.3, 0.90),
        ('"openai"\ndimensions = 256', "openai:text-embedding-3-small/256", None, 256, 0.3, 0.90),
        ('"voyage"', "voyage:voyage-4-lite", "voyage-4", None, 0.3, 0.90),
        ('"voyage"\nmodel = "voyage-code-4"', "voyage:voyage-code-4", None, None, 0.3, 0.90),
        ('"openai"\nmodel = "voyage-4"', "openai:voyage-4", None, None, 0.3, 0.90),
    ],
)
def test_what_a_provider_says_of_itself(
    tmp_path: Path,
    lines: str,
    identity: str,
    family: str | None,
    dimension: int | None,
    weight: float,
    threshold: float,
) -> None:
    found = open_provider(config(tmp_path, f"[embed]\nprovider = {lines}"))
    assert (found.identity, found.family, found.dimension) == (identity, family, dimension)
    assert (found.lexical_weight, found.duplicate_threshold) == (weight, threshold)
    assert identity_of(config(tmp_path, f"[embed]\nprovider = {lines}")) == identity


def test_the_identity_is_known_without_loading_anything(tmp_path: Path) -> None:
    code = "import sys; from kb.embed.opening import identity_of; print(identity_of(None), 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "hashing/2 False\n"
    pretend_installed()
    assert identity_of(None) == MINILM
    with pytest.raises(EmbeddingError, match="not the file"):
        identity_of(config(tmp_path, '[embed]\nprovider = "minilm"'))


# -- the provider of an index ------------------------------------------------------------------


@pytest.mark.parametrize(
    "identity", ["hashing/2", MINILM, "openai:text-embedding-3-small", "openai:org/some-model", "voyage:voyage-4/256"]
)
def test_an_index_is_searched_with_what_made_it(identity: str) -> None:
    found = provider_of(identity)
    assert found is not None
    assert found.identity == identity


@pytest.mark.parametrize("identity", ["hashing/1", "minilm:000000000000:256:mean", "given/1", "openai:", "", "x:y"])
def test_what_this_version_does_not_have_is_none(identity: str) -> None:
    assert provider_of(identity) is None


def test_the_address_of_kb_toml_serves_the_index_of_another_model(tmp_path: Path) -> None:
    named = config(tmp_path, '[embed]\nprovider = "openai"\nmodel = "new"\nbase_url = "http://localhost:1/v1"')
    found = provider_of("openai:old", named)
    assert isinstance(found, HostedProvider)
    assert (found.identity, found.settings.base_url) == ("openai:old", "http://localhost:1/v1")


@pytest.mark.parametrize(
    ("made", "searched", "expected"),
    [
        ("voyage-4-large", "voyage-4-lite", "voyage:voyage-4-lite"),
        ("voyage-4-large/256", 'voyage-4-nano"\ndimensions = 256\n#"', "voyage:voyage-4-nano/256"),
        ("voyage-4-large/256", "voyage-4-lite", "voyage:voyage-4-large/256"),
        ("voyage-code-4", "voyage-4-lite", "voyage:voyage-code-4"),
        ("voyage-4", "voyage-code-4", "voyage:voyage-4"),
    ],
)
def test_only_models_of_one_family_search_for_each_other(
    tmp_path: Path, made: str, searched: str, expected: str
) -> None:
    found = provider_of(f"voyage:{made}", config(tmp_path, f'[embed]\nprovider = "voyage"\nmodel = "{searched}"'))
    assert found is not None
    assert found.identity == expected


def test_an_index_of_a_model_that_is_gone_can_be_opened_and_says_so_when_something_is_embedded() -> None:
    found = provider_of(MINILM)
    assert isinstance(found, MiniLmProvider)
    with pytest.raises(EmbeddingError, match="kb models fetch"):
        found.embed(["one"], query=True)
