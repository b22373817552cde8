"""Positions of secrets: bytes in the method table, code points in the typed methods, whatever precedes them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from loopmem import Redacted, SecretFinding, Store, ValidationError, aio

PATTERNS = ["CORP-[0-9]+"]
# One, two, three and four bytes; characters that are made of several.
FRONTS = ["", "plain ", "é", "日本語 ", "😀", "👨‍👩‍👧 e\u0301 ", "\ufeff", "\U0010ffff\uffff", "é😀\n" * 40_000]


class Text(str):
    """A subclass of `str`."""


def slices(text: str, findings: list[SecretFinding]) -> list[str]:
    return [text[found["start"] : found["end"]] for found in findings]


@pytest.mark.parametrize("front", FRONTS, ids=range(len(FRONTS)))
def test_a_finding_is_a_slice_of_the_text_that_was_passed(tmp_path: Path, front: str) -> None:
    text = f"{front}CORP-1{front} 😀CORP-22日"

    async def awaited() -> tuple[Redacted, list[SecretFinding]]:
        async with await aio.Store.open(home=tmp_path) as store:
            redacted = await store.safety.redact(text=text, patterns=PATTERNS)
            return redacted, await store.safety.scan(text=text, patterns=PATTERNS)

    with Store.open(home=tmp_path) as store:
        redacted, scanned = (
            store.safety.redact(text=text, patterns=PATTERNS),
            store.safety.scan(text=text, patterns=PATTERNS),
        )
        of_a_class = store.safety.scan(text=Text(text), patterns=PATTERNS)
    later, scanned_later = asyncio.run(awaited())
    for findings in [redacted["findings"], scanned, of_a_class, later["findings"], scanned_later]:
        assert slices(text, findings) == ["CORP-1", "CORP-22"]
        assert [(found["rule"], len(found["tag"])) for found in findings] == [("custom-pattern", 10)] * 2


def test_the_text_with_its_findings_cut_out_is_the_text_that_was_redacted(tmp_path: Path) -> None:
    text = "CORP-7 ".join(FRONTS)
    with Store.open(home=tmp_path) as store:
        redacted = store.safety.redact(text=text, patterns=PATTERNS)
    rebuilt, copied = "", 0
    for found in redacted["findings"]:
        rebuilt += f"{text[copied : found['start']]}[REDACTED:{found['rule']}:{found['tag']}]"
        copied = found["end"]
    assert len(redacted["findings"]) == len(FRONTS) - 1
    assert rebuilt + text[copied:] == redacted["text"]


def test_a_call_by_name_returns_byte_offsets(tmp_path: Path) -> None:
    params = {"text": "é😀 CORP-1", "patterns": PATTERNS}
    with Store.open(home=tmp_path) as store:
        called = store.call("safety.scan", params)
        typed = store.safety.scan(text="é😀 CORP-1", patterns=PATTERNS)
    assert [(found["start"], found["end"]) for found in called] == [(7, 13)]
    assert [(found["start"], found["end"]) for found in typed] == [(3, 9)]


def test_the_halves_of_a_pair_are_two_code_points(tmp_path: Path) -> None:
    text = "\ud83d\ude00 CORP-1 \U0001f600 CORP-2"
    with Store.open(home=tmp_path, redaction_patterns=["CORP-[0-9]"]) as store:
        found = store.safety.scan(text=text)
        assert [text[it["start"] : it["end"]] for it in found] == ["CORP-1", "CORP-2"]
        assert store.safety.redact(text=text)["text"].startswith("\U0001f600 [REDACTED:")


@pytest.mark.parametrize("text", [None, 5, b"CORP-1", ["CORP-1"], "\ud800 CORP-1", "a\0b"], ids=repr)
def test_params_that_are_not_text_are_refused_as_in_every_language(tmp_path: Path, text: str) -> None:
    with Store.open(home=tmp_path) as store:
        for method in (store.safety.redact, store.safety.scan):
            with pytest.raises(ValidationError):
                method(text=text, patterns=PATTERNS)


def test_an_invalid_pattern_is_identified_by_its_index(tmp_path: Path) -> None:
    with Store.open(home=tmp_path) as store, pytest.raises(ValidationError) as caught:
        store.safety.scan(text="x", patterns=["fine", "(hunter22"])
    assert str(caught.value) == "safety.scan: patterns[1] is not a valid regular expression; fix or remove it"


def test_every_rule_is_listed_with_its_kind(tmp_path: Path) -> None:
    with Store.open(home=tmp_path, redaction_patterns=PATTERNS) as store:
        kinds = {rule["id"]: rule["kind"] for rule in store.safety.rules()}
    assert (kinds["keyed-value"], kinds["custom-pattern"]) == ("keyed", "custom")
