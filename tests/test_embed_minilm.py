"""The forward pass, the word pieces and the weights' file, on a small made-up model; vectors on NumPy alone."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from kb.embed import minilm
from kb.embed._bert import Bert
from kb.embed._safetensors import load_tensors
from kb.embed._wordpiece import WordPiece
from kb.embed.blas import one_blas_thread
from kb.embed.minilm import MiniLmProvider
from kb.embed.provider import embedded
from kb.errors import EmbeddingError

WORDS = "the un ##able ##aff cat dog . , 深 cafe ##s a"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split()]
HEADS, SIZE, WIDE, LAYERS, MOST = 12, 384, 24, 2, 256
Arrays = dict[str, np.ndarray]


def made_up(size: int = SIZE, seed: int = 7) -> Arrays:
    """Random weights of the shapes that an encoder has."""
    random = np.random.default_rng(seed)

    def some(*shape: int, around: float = 0.0) -> np.ndarray:
        return (around + random.standard_normal(shape) * 0.2).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(VOCABULARY), size),
        "embeddings.position_embeddings.weight": some(MOST, size),
        "embeddings.token_type_embeddings.weight": some(2, size),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            found[f"{name}.attention.{part}.weight"] = some(size, size)
            found[f"{name}.attention.{part}.bias"] = some(size)
        found[f"{name}.intermediate.dense.weight"], found[f"{name}.intermediate.dense.bias"] = (
            some(WIDE, size),
            some(WIDE),
        )
        found[f"{name}.output.dense.weight"], found[f"{name}.output.dense.bias"] = some(size, WIDE), some(size)
    for norm in norms:
        found[f"{norm}.weight"], found[f"{norm}.bias"] = some(size, around=1), some(size)
    return found


def saved(path: Path, tensors: Arrays) -> Path:
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        kind = {"f": "F32", "i": "I64"}[tensor.dtype.kind]
        header[name] = {
            "dtype": kind,
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + tensor.nbytes],
        }
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def naive(weights: Arrays, tokens: Sequence[int], heads: int) -> np.ndarray:
    """The definition, in float64: one text, one head, one token after another."""
    w = {name: tensor.astype(np.float64) for name, tensor in weights.items()}

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        return (x - x.mean()) / math.sqrt(x.var() + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return w[f"{name}.weight"] @ x + w[f"{name}.bias"]

    def gelu(x: float) -> float:
        return x * (1 + math.erf(x / math.sqrt(2))) / 2

    kinds = [w[f"embeddings.{one}_embeddings.weight"] for one in ("word", "position", "token_type")]
    hidden = [
        norm(kinds[0][token] + kinds[1][at] + kinds[2][0], "embeddings.LayerNorm") for at, token in enumerate(tokens)
    ]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            [dense(x, f"{name}.attention.self.{one}").reshape(heads, -1) for x in hidden]
            for one in ("query", "key", "value")
        )
        after = []
        for at, x in enumerate(hidden):
            mixed = []
            for head in range(heads):
                scores = np.array([q[at][head] @ other[head] for other in k]) / math.sqrt(len(q[at][head]))
                shares = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                mixed.append(sum(share * other[head] for share, other in zip(shares, v, strict=True)))
            seen = norm(
                x + dense(np.concatenate(mixed), f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm"
            )
            wide = np.array([gelu(one) for one in dense(seen, f"{name}.intermediate.dense")])
            after.append(norm(seen + dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm"))
        hidden = after
    mean = np.mean(hidden, axis=0)
    return mean / np.linalg.norm(mean)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("model")
    saved(found / "model.safetensors", made_up())
    (found / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    return found


# -- the forward pass ------------------------------------------------------------------


@pytest.mark.parametrize(("size", "heads"), [(24, 2), (24, 1), (36, 12)])
def test_the_forward_pass_is_that_of_the_definition(size: int, heads: int) -> None:
    weights = made_up(size)
    batch = [[2, 5, 8, 3], [2, 9, 9, 3], [2, 1, 14, 3]]
    expected = [naive(weights, tokens, heads) for tokens in batch]
    assert np.abs(Bert(weights, heads).encode(batch) - expected).max() < 1e-6


def test_the_provider_embeds_what_the_word_pieces_say(folder: Path) -> None:
    rows = MiniLmProvider(folder).embed(["The cat, the dog."])
    assert np.abs(rows[0] - naive(made_up(), [2, 5, 9, 12, 5, 10, 11, 3], HEADS)).max() < 1e-6


def test_the_company_of_a_text_does_not_change_its_vector(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_BATCH_TOKENS", 16)
    texts = [" ".join(["cat", "the dog", "unaffable", "."][: n % 4 + 1] * (n % 7 + 1)) for n in range(60)]
    together = embedded(MiniLmProvider(folder), texts)
    alone = np.concatenate([MiniLmProvider(folder, threads=1).embed([text]) for text in texts[:28]])
    assert np.abs(together[:28] - alone).max() < 1e-6


def test_texts_are_cut_after_256_pieces(folder: Path) -> None:
    provider = MiniLmProvider(folder)
    rows = provider.embed(["cat " * 254, "cat " * 254 + "dog", "cat " * 253, "cat " * 253 + "dog"])
    assert np.array_equal(rows[0], rows[1])
    assert not np.allclose(rows[2], rows[3], atol=1e-4)


def test_a_text_that_says_nothing_has_zeros(folder: Path) -> None:
    rows = embedded(MiniLmProvider(folder), ["", "cat", " \n\t", "\u200b"])
    assert rows.any(axis=1).tolist() == [False, True, False, False]


def test_products_run_on_one_thread_inside_and_as_before_outside() -> None:
    def threads() -> list[int]:
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


# -- word pieces -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The CAT.", "the cat ."),
        ("unaffable", "un ##aff ##able"),
        ("cats zebra", "cat ##s [UNK]"),
        ("Caf\u00e9s cafe\u0301", "cafe ##s cafe"),
        ("cat,dog", "cat , dog"),
        ("深深cat", "深 深 cat"),
        ("the\tcat\u00a0dog\r\n", "the cat dog"),
        ("c\x00at d\u200bog \ufffd", "cat dog"),
        ("a" * 101, "[UNK]"),
        ("cat\u2014dog", "cat [UNK] dog"),
    ],
)
def test_words_are_taken_apart_as_the_model_learnt_them(text: str, pieces: str) -> None:
    numbers = WordPiece(VOCABULARY, 256).encode(text)
    assert [VOCABULARY[one] for one in numbers] == ["[CLS]", *pieces.split(), "[SEP]"]


@given(st.text(max_size=60))
@settings(max_examples=300)
def test_any_text_has_pieces_and_no_more_than_allowed(text: str) -> None:
    numbers = WordPiece(VOCABULARY, 12).encode(text)
    assert len(numbers) != 2
    assert len(numbers) <= 12
    assert numbers == WordPiece(VOCABULARY, 12).encode(f"  {text}\n")


# -- files -----------------------------------------------------------------------------


def test_a_file_of_tensors_is_read_as_it_was_written(tmp_path: Path) -> None:
    tensors = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "empty": np.zeros((0, 4), dtype=np.float32)}
    found = load_tensors(saved(tmp_path / "x", {**tensors, "ids": np.arange(3)}))
    assert set(found) == {"b", "empty"}
    assert all(np.array_equal(found[name], tensor) for name, tensor in tensors.items())


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"abc",
        lambda data: data[:40],
        lambda data: data[:-1],
        lambda data: struct.pack("<Q", 2**60) + data[8:],
        lambda data: data.replace(b'"shape": [2, 3]', b'"shape": [9, 3]'),
        lambda data: data.replace(b'"data_offsets"', b'"data_offsetz"'),
        lambda data: struct.pack("<Q", 2) + b"[]",
        lambda data: b"<html>not found</html>" * 10,
    ],
)
def test_a_damaged_file_is_told(tmp_path: Path, damage: object) -> None:
    path = saved(tmp_path / "x", {"b": np.ones((2, 3), dtype=np.float32)})
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(EmbeddingError, match="fetch the model again"):
        load_tensors(path)


def test_weights_of_something_else_are_told() -> None:
    with pytest.raises(EmbeddingError, match="not those of a BERT encoder"):
        Bert({"b": np.ones((2, 3), dtype=np.float32)}, 2)
    with pytest.raises(EmbeddingError, match="shared by 5 heads"):
        Bert(made_up(24), 5)
    with pytest.raises(EmbeddingError, match=r"no piece '\[CLS\]'"):
        WordPiece(["a"], 256)
