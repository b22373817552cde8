"""The host's own logger with blocking calls."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from loopmem import AdapterError, Allowance, ConventionDraft, NotFound, Redaction, Store, ValidationError

from adapters import Dicts, failing, over, unraisable


def test_a_logger_receives_every_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with over("memory", tmp_path, logger=logging.getLogger("jobs")) as store:
        store.update_context("50%d {} %s", {"a": 1})
        store.get_context("50%d {} %s")
        timestamp = store.save_checkpoint("job")
        with pytest.raises(NotFound):
            store.restore_checkpoint("job", 7)
    logged = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    assert logged[:2] == [
        ("jobs", "DEBUG", "Context updated for 50%d {} %s"),
        ("jobs", "INFO", f"Checkpoint saved for job at {timestamp}"),
    ]
    assert logged[2][:2] == ("jobs", "ERROR") and "working.restoreCheckpoint" in logged[2][2] and len(logged) == 3
    payloads = [vars(record)["loopmem"] for record in caplog.records]
    assert payloads[:2] == [{"scopeId": "50%d {} %s"}, {"scopeId": "job", "timestamp": timestamp}]
    assert payloads[2]["code"] == "NotFound"


def test_a_logger_receives_no_internal_numbers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    adapter = failing("get", ValueError("lost"), False)
    with over(adapter, tmp_path, logger=logging.getLogger("jobs")) as store, pytest.raises(AdapterError):
        store.get_context("job")
    (record,) = caplog.records
    assert vars(record)["loopmem"].keys() == {"code", "message", "operation", "id", "cause", "retryable"}


class CallingLogger:
    """A logger that is not a `logging.Logger`."""

    def __init__(self, then: Callable[[], object] = lambda: None) -> None:
        self.messages: list[str] = []
        self.then = then

    def debug(self, message: str, *, extra: object) -> None:
        self.messages.append(message)
        self.then()

    info = warning = error = debug


def test_a_logger_that_raises_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("the disk is full")

    logger = CallingLogger(fail)
    with unraisable(monkeypatch) as caught, over(Dicts(), tmp_path, logger=logger) as store:
        assert store.update_context("job", {"a": 1}) == {"a": 1}
        assert store.get_context("job") == {"a": 1}
    assert logger.messages == ["Context updated for job"]
    assert [str(error) for error in caught] == ["the disk is full"]


class InfoAlone:
    """A logger that has one of the functions, and another one that is not a function."""

    error = None

    def __init__(self) -> None:
        self.messages: list[str] = []

    def info(self, message: str, *, extra: object) -> None:
        self.messages.append(message)


def test_a_logger_needs_some_of_the_functions_and_receives_only_those(tmp_path: Path) -> None:
    logger = InfoAlone()
    with over("memory", tmp_path, logger=logger) as store:
        store.update_context("job", {"a": 1})
        timestamp = store.save_checkpoint("job")
        with pytest.raises(NotFound):
            store.restore_checkpoint("job", 7)
    assert logger.messages == [f"Checkpoint saved for job at {timestamp}"]


def test_a_logger_may_call_loopmem(tmp_path: Path) -> None:
    logger = CallingLogger(lambda: seen.append(store.get_context("job")))
    seen: list[object] = []
    with over(Dicts(), tmp_path, logger=logger) as store:
        store.update_context("job", {"a": 1})
    assert seen == [{"a": 1}]


def test_ctrl_c_in_a_logger_is_not_lost(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    adapter = Dicts()
    with over(adapter, tmp_path, logger=CallingLogger(interrupt)) as store, pytest.raises(KeyboardInterrupt):
        store.update_context("job", {"a": 1})
    assert adapter.values["context:job"] == {"a": 1}


def test_a_logger_is_warned_of_what_is_redacted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store.open(home=tmp_path, logger=logging.getLogger("jobs"))
    redactions: list[Redaction] = []
    with store, caplog.at_level(logging.WARNING):
        note = store.memory.upsert_note(
            repo_hash="5e" * 32, note={"content": "DB_PASSWORD=hunter22"}, on_redaction=redactions.append
        )
        store.memory.upsert_note(repo_hash="5e" * 32, note={"content": "plain"}, on_redaction=redactions.append)
    expected = {"method": "memory.upsertNote", "field": "content", "rule": "keyed-value", "count": 1}
    assert "[REDACTED:keyed-value:" in note["content"] and redactions == [expected]
    (record,) = caplog.records
    assert (record.levelname, record.getMessage()) == ("WARNING", "redacted a secret before it was stored")
    assert vars(record)["loopmem"] == expected


SECRETS: ConventionDraft = {"title": "t", "content": "DB_PASSWORD=hunter22", "tags": ["API_SECRET=hunter22"]}


def test_a_function_for_redactions_that_raises_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fields: list[str] = []

    def fail(redaction: Redaction) -> None:
        fields.append(redaction["field"])
        raise ValueError("the disk is full")

    with unraisable(monkeypatch) as caught, Store.open(home=tmp_path) as store:
        stored = store.memory.upsert_convention(repo_hash="5e" * 32, convention=SECRETS, on_redaction=fail)
        assert store.memory.get(repo_hash="5e" * 32)["conventions"] == [stored]
    assert sorted(fields) == ["content", "tags"]
    assert [str(error) for error in caught] == ["the disk is full"] * 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_function_for_redactions_that_raises_is_reported_by_pythons_own_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Redaction) -> None:
        raise ValueError("the disk is full")

    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)
    with Store.open(home=tmp_path) as store:
        note = store.memory.upsert_note(
            repo_hash="5e" * 32, note={"content": "DB_PASSWORD=hunter22"}, on_redaction=fail
        )
    assert "[REDACTED:" in note["content"]
    assert "the disk is full" in capsys.readouterr().err


def test_ctrl_c_in_a_function_for_redactions_is_not_lost(tmp_path: Path) -> None:
    def interrupt(_: Redaction) -> None:
        raise KeyboardInterrupt

    with Store.open(home=tmp_path) as store:
        with pytest.raises(KeyboardInterrupt):
            store.memory.upsert_note(
                repo_hash="5e" * 32, note={"content": "DB_PASSWORD=hunter22"}, on_redaction=interrupt
            )
        assert len(store.memory.get(repo_hash="5e" * 32)["notes"]) == 1


def test_a_logger_that_raises_at_a_redaction_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("the disk is full")

    redactions: list[Redaction] = []
    logger = CallingLogger(fail)
    with unraisable(monkeypatch) as caught, Store.open(home=tmp_path, logger=logger) as store:
        stored = store.memory.upsert_convention(repo_hash="5e" * 32, convention=SECRETS, on_redaction=redactions.append)
        assert store.memory.get(repo_hash="5e" * 32)["conventions"] == [stored]
    assert logger.messages == ["redacted a secret before it was stored"] * 2
    assert len(redactions) == 2 and [str(error) for error in caught] == ["the disk is full"] * 2


def test_what_is_allowed_is_not_redacted(tmp_path: Path) -> None:
    allow: list[Allowance] = [{"name": "sessionKey", "reason": "the name of a tab"}]
    params = {"scopeId": "job", "patch": {"session_key": "q8Zt4kXwP2vL9sRb7nYd"}}
    with Store.open(home=tmp_path) as store:
        assert len(store.safety.preview(method="working.updateContext", params=params)) == 1
    with Store.open(home=tmp_path, allow=allow) as store:
        assert store.safety.preview(method="working.updateContext", params=params) == []
        assert store.safety.allowances() == allow and store.doctor.check()["allowances"] == allow


def test_a_function_for_redactions_must_be_one(tmp_path: Path) -> None:
    with Store.open(home=tmp_path) as store, pytest.raises(ValidationError, match="on_redaction must be a function"):
        store.call("memory.get", {}, on_redaction=7)  # type: ignore[call-overload]
