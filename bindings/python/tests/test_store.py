"""What is specific to Python: exceptions and their bases, the interpreter's lock, signals, invalid values."""

from __future__ import annotations

import asyncio
import builtins
import copy
import errno
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import types
from collections import UserList
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path

import loopmem
import pytest
from loopmem import Cancel, Cancelled, Internal, LockAcquisitionError, LoopmemError, Misuse, Store, ValidationError, aio

from locks import REPO, held_lock, somebody_waits
from processes import running

pytestmark = pytest.mark.terminal

TIME = "2026-01-31T12:00:00.000Z"


def test_every_kind_of_error_has_a_class_and_its_bases() -> None:
    assert len(loopmem.errors.ERROR_CLASSES) == 16
    for code, error in loopmem.errors.ERROR_CLASSES.items():
        assert issubclass(error, LoopmemError)
        assert error("m").code == code
        assert getattr(loopmem, error.__name__) is error
        assert not hasattr(builtins, error.__name__)
        assert error.__name__.lower() == code.lower()
    assert issubclass(loopmem.ValidationError, ValueError)
    assert issubclass(loopmem.ParseError, ValueError)
    assert issubclass(loopmem.IoError, OSError)
    assert issubclass(loopmem.RenameError, OSError)
    assert issubclass(loopmem.LockAcquisitionError, TimeoutError)


def test_an_error_has_its_code_its_operation_and_whether_to_try_again(home: Path) -> None:
    with Store.open(home=home) as store, pytest.raises(ValidationError) as caught:
        store.memory.get(repo_hash="x")
    error = caught.value
    assert (error.code, error.operation, error.retryable) == ("ValidationError", "memory.get", False)
    assert error.message.startswith("repoHash: expected 64 hex digits")
    assert str(error).startswith("memory.get: repoHash: expected 64 hex digits")


def test_an_error_has_its_path_cause_and_id(home: Path) -> None:
    (home / "file").touch()
    with pytest.raises(loopmem.IoError) as unwritable:
        Store.open(home=home / "file" / "home")
    assert unwritable.value.path == str(home / "file" / "home")
    assert unwritable.value.cause is not None and "os error" in unwritable.value.cause
    assert (unwritable.value.errno, unwritable.value.filename) == (errno.ENOTDIR, unwritable.value.path)
    beneath = unwritable.value.__cause__
    assert isinstance(beneath, NotADirectoryError)
    assert (beneath.errno, beneath.filename) == (errno.ENOTDIR, unwritable.value.path)
    for again in (copy.copy(unwritable.value), pickle.loads(pickle.dumps(unwritable.value))):
        assert type(again) is loopmem.IoError
        assert vars(again) == vars(unwritable.value)
        assert (str(again), again.errno, again.filename) == (str(unwritable.value), errno.ENOTDIR, again.path)
    decision = {"id": "d", "summary": "s", "rationale": "r", "impactedPaths": [], "createdAt": TIME, "updatedAt": TIME}
    document = {"schemaVersion": 1, "decisions": [decision]}
    (home / "repos" / REPO / "memory.json").write_text(json.dumps(document))
    with Store.open(home=home) as store, pytest.raises(loopmem.Conflict) as taken:
        store.memory.upsert_convention(repo_hash=REPO, convention={"id": "d", "title": "t", "content": "c"})
    assert (taken.value.id, taken.value.path, taken.value.cause) == ("d", None, None)
    assert taken.value.operation == "memory.upsertConvention"


def test_a_panic_is_an_exception_and_its_payload_is_not_shown(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def call() -> None:
        async with await aio.Store.open(home=home) as store:
            await store.call("debug.panic")

    with Store.open(home=home) as store, pytest.raises(Internal) as blocking:
        store.call("debug.panic")
    with pytest.raises(Internal) as awaited:
        asyncio.run(call())
    printed = capfd.readouterr()
    assert "payload of a panic" not in f"{blocking.value}{awaited.value}{printed.out}{printed.err}"


def test_a_fraction_is_an_option(tmp_path: Path) -> None:
    Store.open(home=tmp_path, recall_recency_weight=0.5).close()
    for weight in (1.5, -0.5, float("nan"), float("inf")):
        with pytest.raises(ValidationError, match="ecencyWeight"):
            Store.open(home=tmp_path, recall_recency_weight=weight)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        b"bytes",
        bytearray(b"b"),
        {1, 2},
        object(),
        "\ud800",
        "a\0b",
        {1: "a"},
        {None: "a"},
        {True: "a", "true": "b"},
    ],
)
def test_what_json_cannot_represent_is_refused(home: Path, value: object) -> None:
    with Store.open(home=home) as store:
        with pytest.raises(ValidationError):
            store.call("memory.upsertConvention", {"repoHash": REPO, "convention": {"title": value, "content": "c"}})
        with pytest.raises(ValidationError):
            more = {"id": "more", "title": "t", "content": "c", "extra": {"more": [value]}}
            store.call("memory.upsertConvention", {"repoHash": REPO, "convention": more})
        assert len(store.memory.get(repo_hash=REPO)["conventions"]) == 1


def refusal(home: Path, params: object) -> str:
    with Store.open(home=home) as store, pytest.raises(ValidationError) as refused:
        store.call("memory.get", params)  # type: ignore[call-overload]
    assert refused.value.operation == "memory.get"
    return refused.value.message


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (b"b", "bytes"),
        (bytearray(b"b"), "bytes"),
        (memoryview(b"b"), "bytes"),
        ({1}, "a set"),
        (frozenset(), "a frozenset"),
        (lambda: 1, "a function"),
        (object(), "an object"),
        (Cancel(), "a Cancel"),
        (Cancel, "a type"),
        (1j, "a complex"),
        (Path(), "a PosixPath"),
        (iter([]), "a list_iterator"),
        ({1: "a"}, "a key that is not text"),
        ({"a": 1, None: 2}, "a key that is not text"),
        (types.MappingProxyType({True: 1}), "a key that is not text"),
    ],
)
def test_an_error_for_a_value_that_json_cannot_represent_gives_its_path_and_kind(
    home: Path, value: object, what: str
) -> None:
    params: object = {"patch": {"fine": (1, {}), "a": types.MappingProxyType({"b": UserList([1, {"same": 1}, value])})}}
    assert refusal(home, params) == f"patch.a.b[2]: {what}, which JSON cannot represent"
    assert refusal(home, value) == f"the params: {what}, which JSON cannot represent"


def test_an_error_for_a_value_that_contains_itself_gives_its_path(home: Path) -> None:
    shared: dict[str, object] = {"a": 1}
    patch: dict[str, object] = {"shared": shared, "again": {"shared": shared}}
    patch["self"] = patch
    assert refusal(home, {"patch": patch}) == "patch.self: contains itself"
    items: list[object] = [0]
    items.append({"list": items})
    assert refusal(home, {"list": items}) == "list[1].list: contains itself"
    patch.clear()
    patch["patch"] = types.MappingProxyType(patch)
    assert refusal(home, patch) == "patch.patch: contains itself"


def test_a_value_that_cannot_be_read_is_refused_with_its_path(home: Path) -> None:
    class Unreadable(UserList[object]):
        def __iter__(self) -> Iterator[object]:
            raise ValueError

    assert refusal(home, {"a": [Unreadable()]}) == "a[0]: cannot be read (ValueError)"
    assert refusal(home, {"a": [10**5_000]}) == "a[0]: cannot be read (ValueError)"


def test_errors_for_invalid_values_are_short(home: Path) -> None:
    params = {"k" * 40: {"k" * 41: {"\ud800": [float("nan")]}}}
    assert refusal(home, params) == f"{'k' * 40}.….?[0]: NaN, which JSON cannot represent"
    long_name = type("N" * 1_000, (), {})
    assert refusal(home, {"a": long_name()}) == "a: an object of a class, which JSON cannot represent"


def nest(wrap: Callable[[object], object], levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    "wrap",
    [
        lambda deep: {"deep": deep},
        lambda deep: [deep],
        lambda deep: (deep,),
        lambda deep: types.MappingProxyType({"deep": deep}),
        lambda deep: UserList([deep]),
    ],
    ids=["dict", "list", "tuple", "mapping", "sequence"],
)
def test_a_value_nested_100_000_levels_deep_is_refused_with_the_message_of_the_core(
    home: Path, wrap: Callable[[object], object]
) -> None:
    with Store.open(home=home) as store:
        raw = '{"scopeId":"s","patch":{"a":' + "[" * 100_000 + "]" * 100_000 + "}}"
        succeeded, error, _, _ = store._native.call("working.updateContext", raw, None, None, None)
        expected = json.loads(error)["message"]
        assert not succeeded and expected.startswith("the input is nested deeper than 100 levels")
        for levels in (1_000, 100_000):
            deep = nest(wrap, levels)
            for method, params in (
                ("working.updateContext", {"scopeId": "s", "patch": {"deep": deep}}),
                ("working.addLog", {"scopeId": "s", "entry": {"content": "c", "metadata": {"deep": deep}}}),
                (
                    "memory.upsertConvention",
                    {"repoHash": REPO, "convention": {"title": "t", "content": "c", "deep": deep}},
                ),
                ("memory.get", {"deep": deep}),
            ):
                with pytest.raises(ValidationError) as refused:
                    store.call(method, params)
                assert (refused.value.message, refused.value.operation) == (expected, method)

                async def awaited(method: str = method, params: Mapping[str, object] = params) -> None:
                    async with await aio.Store.open(home=home) as awaiting:
                        await awaiting.call(method, params)

                with pytest.raises(ValidationError, match=expected):
                    asyncio.run(awaited())
            with pytest.raises(ValidationError):
                Store.open(home=deep)  # type: ignore[arg-type]
        assert store.working.get_context(scope_id="s") == {}


def test_a_result_that_python_cannot_read_is_an_error_that_says_so(home: Path) -> None:
    digits = "1" + "0" * 5_000
    scope = home / "working" / "job"
    scope.mkdir(parents=True)
    (scope / "context.json").write_text('{"value":{"n":' + digits + "}}")
    with Store.open(home=home) as store:
        with pytest.raises(loopmem.ParseError, match="a number with more digits than") as unread:
            store.working.update_context(scope_id="job", patch={"b": 2})
        assert unread.value.operation == "working.updateContext"
        assert unread.value.may_be_stored is True
        assert '"b":2' in (scope / "context.json").read_text()


def test_a_record_that_another_program_nested_too_deeply_is_our_own_error(home: Path) -> None:
    memory = home / "repos" / REPO / "memory.json"
    memory.write_text(memory.read_text().replace('"title"', '"deep":' + "[" * 100_000 + "]" * 100_000 + ',"title"', 1))
    with Store.open(home=home) as store, pytest.raises(loopmem.ParseError) as unread:
        store.memory.get(repo_hash=REPO)
    assert unread.value.operation == "memory.get"
    assert memory.read_text().count("[") > 100_000


def test_no_error_of_the_package_repeats_a_secret_that_was_passed(home: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    closed = Store.open(home=home)
    closed.close()
    calls: list[Callable[[Store, str], object]] = [
        lambda store, secret: store.working.update_context(scope_id="s", patch={secret: b""}),
        lambda store, secret: store.working.update_context(scope_id="s", patch={"a": [{secret: {"b": float("nan")}}]}),
        lambda store, secret: store.call("memory.get", {secret: b""}),
        lambda store, secret: store.call("memory.get", {"a": type(secret, (), {})()}),
        lambda store, secret: store.call(secret),
        lambda store, secret: store.call(secret, {secret: b""}),
        lambda store, secret: store.call(secret, {}, timeout=-1),
        lambda store, secret: store.call(secret, {}, cancel=5),  # type: ignore[call-overload]
    ]
    with Store.open(home=home, redaction_patterns=["CORP-[0-9]{4}"]) as store:
        for secret in (token, "CORP-1234"):
            for call in calls:
                with pytest.raises(LoopmemError) as caught:
                    call(store, secret)
                error = caught.value
                assert secret not in f"{error} {error!r} {error.args} {vars(error)}"
                assert error.__cause__ is None
    # Without a store, the built-in rules apply.
    by_mistake: list[Callable[[], object]] = [
        lambda: closed.call(token),
        lambda: closed.call("memory.get", {token: b""}),
        lambda: Store._open({token: object()}),
        lambda: Store._open({token: 1}),
    ]
    for outside in by_mistake:
        with pytest.raises(LoopmemError) as caught:
            outside()
        assert token not in f"{caught.value} {vars(caught.value)}"


def test_an_error_names_its_operation_wherever_it_was_created(home: Path) -> None:
    closed = Store.open(home=home)
    closed.close()
    with Store.open(home=home) as store:
        calls: list[Callable[[], object]] = [
            lambda: store.memory.get(repo_hash="x"),
            lambda: store.call("memory.get", {"a": b""}),
            lambda: store.memory.get(repo_hash=REPO, timeout=-1),
            lambda: closed.memory.get(repo_hash=REPO),
            lambda: loopmem.get_repo_memory(None),  # type: ignore[arg-type]
        ]
        for call in calls:
            with pytest.raises(LoopmemError) as caught:
                call()
            assert caught.value.operation == "memory.get"
            assert str(caught.value).startswith("memory.get: ") and not caught.value.message.startswith("memory.get")
            assert caught.value.may_be_stored is False


def test_an_error_says_whether_the_change_may_have_been_stored_nevertheless() -> None:
    from loopmem._refusal import error_of

    error = {"code": "IOError", "message": "m", "retryable": False}
    assert error_of(json.dumps(error)).may_be_stored is False
    assert error_of(json.dumps({**error, "mayBeStored": True})).may_be_stored is True


def test_any_mapping_becomes_an_object_and_any_sequence_a_list(home: Path) -> None:
    draft = types.MappingProxyType(
        {"title": "t", "content": "c", "tags": UserList(["a"]), "extra": {"more": ("b", {"c": range(2)})}}
    )
    with Store.open(home=home, redaction_patterns=UserList(["x"])) as store:
        stored = store.call("memory.upsertConvention", types.MappingProxyType({"repoHash": REPO, "convention": draft}))
    assert stored["tags"] == ["a"]
    assert dict(stored)["more"] == ["b", {"c": [0, 1]}]


def test_an_argument_of_the_wrong_type_is_refused_with_our_own_error(home: Path) -> None:
    with Store.open(home=home) as store:
        for method in (5, None, b"memory.get", "memory.get\ud800", "memory.get\0"):
            with pytest.raises(ValidationError):
                store.call(method)  # type: ignore[arg-type]
        for params in ([], 0, "", [("repoHash", REPO)]):
            with pytest.raises(ValidationError):
                store.call("memory.get", params)  # type: ignore[call-overload]
        for cancel in (5, threading.Event()):
            with pytest.raises(ValidationError, match="cancel must be a Cancel"):
                store.memory.get(repo_hash=REPO, cancel=cancel)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "timeout", [-1, -0.001, math.nan, math.inf, -math.inf, 1 << 32, 10**400, True, "1", [1.0], timedelta(seconds=1)]
)
def test_an_invalid_time_out_is_refused(home: Path, timeout: object) -> None:
    async def call() -> None:
        async with await aio.Store.open(home=home) as store:
            await store.memory.get(repo_hash=REPO, timeout=timeout)  # type: ignore[arg-type]

    with Store.open(home=home) as store:
        calls: list[Callable[[], object]] = [
            lambda: store.memory.get(repo_hash=REPO, timeout=timeout),  # type: ignore[arg-type]
            lambda: store.call("memory.get", {"repoHash": REPO}, timeout=timeout),  # type: ignore[call-overload]
            lambda: asyncio.run(call()),
        ]
        for late in calls:
            with pytest.raises(ValidationError, match="timeout must be a number of seconds from 0 to 4294967"):
                late()


@pytest.mark.parametrize(
    ("timeout", "waited"), [(0, 0), (0.0, 0), (-0.0, 0), (0.0001, 1), (1e-12, 1), (0.0011, 2), (0.02, 20), (0.07, 70)]
)
def test_time_outs_are_rounded_up_to_milliseconds_and_only_0_does_not_wait(
    home: Path, timeout: float, waited: int
) -> None:
    with Store.open(home=home) as store, held_lock(home):
        with pytest.raises(LockAcquisitionError, match=f"not free within {waited} ms"):
            store.memory.get(repo_hash=REPO, timeout=timeout)


def test_the_longest_time_out_and_none_are_valid(home: Path) -> None:
    with Store.open(home=home) as store:
        for timeout in (None, 4_294_967, 4_294_967.0):
            assert len(store.memory.get(repo_hash=REPO, timeout=timeout)["conventions"]) == 1


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((5, 5), {}, "positional argument"),
        ((), {"max_chars": 5, "max_char": 5}, "got an unexpected keyword argument 'max_char'"),
        ((), {"max_chars": 5, "self": 5}, "got multiple values for argument 'self'"),
    ],
)
def test_arguments_that_a_method_does_not_take_are_a_type_error(
    tmp_path: Path, arguments: tuple[int, ...], named: dict[str, int], message: str
) -> None:
    async def call() -> None:
        async with await aio.Store.open(home=tmp_path) as store:
            await store.context.build(*arguments, **named)  # type: ignore[arg-type]

    with Store.open(home=tmp_path) as store, pytest.raises(TypeError, match=message):
        store.context.build(*arguments, **named)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=message):
        asyncio.run(call())
    with pytest.raises(TypeError, match="unexpected keyword argument 'homes'"):
        Store.open(homes=tmp_path)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'homes'"):
        asyncio.run(aio.Store.open(homes=tmp_path))  # type: ignore[call-arg]


def test_a_number_of_a_subclass_is_passed_by_value(tmp_path: Path) -> None:
    class Injecting(int):
        def __str__(self) -> str:
            return f'7,"home":"{tmp_path}/elsewhere"'

        __repr__ = __str__

    with Store.open(home=tmp_path / "home", lock_timeout_ms=Injecting(5)) as store:
        store.call(
            "memory.upsertConvention",
            {"repoHash": REPO, "convention": {"title": "t", "content": "c", "extra": {"n": Injecting(5)}}},
        )
        assert dict(store.memory.get(repo_hash=REPO)["conventions"][0])["n"] == 5
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize(
    "options",
    [
        {"home": 5},
        {"home": b"/x"},
        {"home": "a\0b"},
        {"lock_timeout_ms": -1},
        {"lock_timeout_ms": True},
        {"redaction_patterns": "x("},
        {"redaction_patterns": [1]},
        {"redaction_patterns": {"a": 1}},
        {"redaction_patterns": {"a"}},
        {"redaction_patterns": b"a"},
        {"lock_timeout_ms": 1 << 70},
        {"clock": "noon"},
    ],
)
def test_invalid_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Store.open(**options)  # type: ignore[arg-type]


def test_a_closed_store_is_misuse_and_closing_it_again_is_not(home: Path) -> None:
    store = Store.open(home=home)
    store.close()
    store.close()
    with pytest.raises(Misuse):
        store.memory.get(repo_hash=REPO)


def test_a_store_that_is_created_and_not_opened_is_a_type_error_that_says_so(home: Path) -> None:
    for kind in (Store, aio.Store):
        for arguments in ((), (str(home),)):
            with pytest.raises(TypeError, match=r"opened with `(await )?Store\.open\(\)`"):
                kind(*arguments)


def test_paths_may_be_path_objects(tmp_path: Path) -> None:
    with Store.open(home=tmp_path / "home") as store:
        assert store.repo.identify(workspace=tmp_path)["path"] == str(tmp_path.resolve())
    assert not (tmp_path / "home").exists()


def test_a_wait_releases_the_interpreter_lock_and_a_time_out_ends_it(home: Path) -> None:
    with Store.open(home=home) as store, held_lock(home):
        cancel = Cancel()
        caught: list[BaseException] = []

        def wait() -> None:
            try:
                store.memory.get(repo_hash=REPO, timeout=60, cancel=cancel)
            except LoopmemError as error:
                caught.append(error)

        waiting = threading.Thread(target=wait)
        waiting.start()
        # This thread runs while the other one waits: its own short wait ends.
        with pytest.raises(LockAcquisitionError) as late:
            store.memory.get(repo_hash=REPO, timeout=0.02)
        assert late.value.retryable
        cancel.request()
        waiting.join()
        assert [type(error) for error in caught] == [Cancelled]


def test_ctrl_c_ends_a_wait_with_keyboard_interrupt(home: Path) -> None:
    program = (
        "import sys, loopmem\n"
        "store = loopmem.Store.open(home=sys.argv[1])\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    store.memory.get(repo_hash=sys.argv[2], timeout=600)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with held_lock(home), running(program, str(home), REPO) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "ready\n"
        # The signal may arrive before the wait begins; it works in either case.
        os.kill(waiting.pid, signal.SIGINT)
        assert waiting.stdout.readline() == "interrupted\n"
        assert waiting.wait() == 0


def test_a_signal_handler_may_use_the_store_during_a_wait(home: Path) -> None:
    program = (
        "import signal, sys, loopmem\n"
        "home, repo = sys.argv[1:]\n"
        "store = loopmem.Store.open(home=home)\n"
        "def handler(*_):\n"
        "    try:\n"
        "        store.memory.get(repo_hash=repo, timeout=0.02)\n"
        "    except loopmem.LockAcquisitionError as error:\n"
        "        print(error.code, flush=True)\n"
        "signal.signal(signal.SIGALRM, handler)\n"
        "print(len(store.memory.get(repo_hash=repo, timeout=600)['conventions']), flush=True)\n"
    )
    with running(program, str(home), REPO) as waiting:
        assert waiting.stdout is not None
        with held_lock(home):
            while not somebody_waits(home):
                assert waiting.poll() is None
            os.kill(waiting.pid, signal.SIGALRM)
            assert waiting.stdout.readline() == "LockAcquisitionError\n"
        assert waiting.stdout.readline() == "1\n"
        assert waiting.wait() == 0


def test_the_version_is_that_of_the_installed_package() -> None:
    assert loopmem.__version__ == version("loopmem")


def test_all_lists_existing_names() -> None:
    assert {"Cancel", "Store", "LoopmemError", "__version__"} <= set(loopmem.__all__)
    assert all(hasattr(loopmem, name) for name in loopmem.__all__)


def test_a_typed_host_compiles_under_strict() -> None:
    consumer = Path(__file__).with_name("consumer.py")
    subprocess.run([sys.executable, "-m", "mypy", "--strict", str(consumer)], cwd=consumer.parents[1], check=True)


def test_opening_imports_no_json_typing_or_asyncio(home: Path) -> None:
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import loopmem\n"
        f"loopmem.Store.open(home={str(home)!r})\n"
        "print(sorted({'json', 'typing', 'asyncio', 'dataclasses', 're'} & (set(sys.modules) - before)))\n"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


def test_reading_unchanged_data_again_returns_a_new_value_from_the_same_text(tmp_path: Path) -> None:
    content = " ".join(["long"] * 2_000)
    with Store.open(home=tmp_path) as store:
        store.memory.upsert_note(repo_hash=REPO, note={"id": "n", "content": content})
        first = store.memory.get(repo_hash=REPO)
        first["notes"].clear()
        assert [note["content"] for note in store.memory.get(repo_hash=REPO)["notes"]] == [content]
        store.memory.upsert_note(repo_hash=REPO, note={"id": "n", "content": f"{content} and more"})
        assert [note["content"] for note in store.memory.get(repo_hash=REPO)["notes"]] == [f"{content} and more"]
