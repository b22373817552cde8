"""The official MCP clients of Python and TypeScript drive `loopmem mcp`, in both versions of the protocol."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ListRootsResult, ResourceUpdatedNotification, Root
from pydantic import FileUrl

from writers import DEBUG

HERE = Path(__file__).parent
COMMAND = DEBUG / "loopmem"
VERSIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
PATIENCE = 60.0
"""A test that waits longer fails, in seconds."""


pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def server(workspace: Path, *args: str) -> StdioServerParameters:
    home = str(workspace.parent / "home")
    env = {**os.environ, "CODEX_TOOLLOOP_HOME": home, "CODEX_HOME": str(workspace.parent / "codex")}
    return StdioServerParameters(command=str(COMMAND), args=["mcp", *args], cwd=str(workspace), env=env)


@asynccontextmanager
async def connected(workspace: Path, mode: str, *args: str, **options: Any) -> AsyncIterator[Client]:
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(server(workspace, *args)), mode=mode, **options) as client:
            yield client


async def call(client: Client, name: str, **arguments: object) -> tuple[str, Any]:
    result: Any = await client.call_tool(name, arguments)
    text = result.content[0].text
    assert not result.is_error, text
    return text, result.structured_content


@pytest.mark.parametrize("mode", VERSIONS)
def test_what_one_session_remembers_the_next_one_knows(mode: str, workspace: Path) -> None:
    async def run() -> None:
        async with connected(workspace, mode) as client:
            assert client.protocol_version == VERSIONS[mode]
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["context"].annotations and tools["context"].annotations.read_only_hint
            assert tools["forget"].annotations and tools["forget"].annotations.destructive_hint
            # Nothing is written before a tool is called that stores something.
            assert (await call(client, "context"))[1] == {"text": ""}
            assert not (workspace.parent / "home").exists()
            _, convention = await call(client, "remember", kind="convention", text="Use tabs. Never spaces.")
            await call(client, "remember", kind="preference", text="Answer in German.", scope="global")
            await call(client, "remember", kind="fact", text="The proxy listens on port 8443.")
            await call(client, "working_update", set={"plan": ["proxy"]})
            _, saved = await call(client, "checkpoint")
            await call(client, "working_update", remove=["plan"])
            _, restored = await call(client, "checkpoint", restore=True)
            assert restored == {"timestamp": saved["timestamp"], "context": {"plan": ["proxy"]}}
            await call(client, "end_step", summary="Moved the proxy to port 8443.")
        async with connected(workspace, mode) as client:
            text, _ = await call(client, "context", prompt="which port has the proxy?")
            for part in ("Answer in German.", "Use tabs", "listens on port 8443", "Moved the proxy", "plan"):
                assert part in text, text
            _, found = await call(client, "search", query="proxy port")
            assert {it["kind"] for it in found["hits"]} >= {"fact", "summary"}
            # An id that is shown shortened can be given back so.
            kept = {"kind": "convention", "id": convention["id"][:13]}
            _, replaced = await call(client, "remember", **kept, text="Use tabs, width 4.")
            assert replaced["id"] == convention["id"]
            # The title that was made of the old text is made anew.
            text, _ = await call(client, "context")
            assert "Use tabs, width 4" in text and "## Use tabs [" not in text
            # The plan is there on every branch.
            head = (workspace / ".git/HEAD").read_text()
            (workspace / ".git/HEAD").write_text("ref: refs/heads/feature\n")
            assert (await call(client, "working_get"))[1] == {"context": {"plan": ["proxy"]}}
            (workspace / ".git/HEAD").write_text(head)
            _, forgotten = await call(client, "forget", id=f"[{convention['id']}]")
            assert forgotten["text"].endswith("Use tabs, width 4.")
            assert "Use tabs" not in (await call(client, "context"))[0]
            assert (await call(client, "working_get"))[1] == {"context": {"plan": ["proxy"]}}

    asyncio.run(run())


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_model_can_act_on_errors(mode: str, workspace: Path) -> None:
    async def run() -> None:
        async with connected(workspace, mode) as client:
            cases: list[tuple[str, dict[str, Any], str]] = [
                ("remember", {"kind": "decision", "text": "SQLite"}, "`reason`"),
                ("remember", {"kind": "rule", "text": "x"}, "`convention`"),
                ("remember", {"kind": "note", "txt": "x"}, "unknown key `txt`"),
                ("remember", {"kind": "note", "text": 5}, "string"),
                ("remember", {"kind": "fact", "text": "The token is ghp_" + "a1B2" * 9}, "secret"),
                ("forget", {"id": "nothing"}, "there is no record"),
                ("remember", {"kind": "note", "id": "nothing", "text": "x"}, "there is no record"),
                ("context", {"maxChars": 1, "workspace": "below"}, "below"),
                ("context", {"workspace": "/nowhere"}, "/nowhere"),
                ("checkpoint", {"restore": True}, "no checkpoint"),
            ]
            for name, arguments, told in cases:
                result: Any = await client.call_tool(name, arguments)
                assert result.is_error and told in result.content[0].text, (name, arguments, result.content[0].text)
                assert "a1B2a1B2" not in result.content[0].text
            with pytest.raises(MCPError, match="unknown tool"):
                await client.call_tool("remembr", {})
            with pytest.raises(MCPError, match="unknown resource"):
                await client.read_resource("loopmem://nothing")
            # It goes on.
            assert await call(client, "context")

    asyncio.run(run())


@pytest.mark.parametrize("mode", VERSIONS)
def test_resources_and_prompts(mode: str, workspace: Path) -> None:
    async def run() -> None:
        async with connected(workspace, mode) as client:
            _, stored = await call(client, "remember", kind="note", text="The build needs make.")
            # What a consolidation of past sessions wrote.
            memories = workspace.parent / "codex" / "memories"
            memories.joinpath("skills", "release").mkdir(parents=True)
            memories.joinpath("MEMORY.md").write_text("The build needs make.\n")
            skill = "---\nname: release\ndescription: When it is published\n---\n\nThe build needs make.\n"
            memories.joinpath("skills", "release", "SKILL.md").write_text(skill)
            uris = [it.uri for it in (await client.list_resources()).resources]
            assert f"loopmem://memory/{stored['id']}" in uris
            for uri in uris:
                contents: Any = (await client.read_resource(uri)).contents[0]
                if contents.mime_type == "application/json":
                    json.loads(contents.text)
                assert uri in ("loopmem://items", "loopmem://summaries") or "needs make" in contents.text, uri
            templates = (await client.list_resource_templates()).resource_templates
            assert {"loopmem://sessions/MEMORY.md", "loopmem://sessions/skills/release/SKILL.md"} < set(uris)
            assert {it.uri_template for it in templates} == {
                "loopmem://memory/{id}",
                "loopmem://working/{scope}",
                "loopmem://sessions/{+path}",
            }
            assert [it.name for it in (await client.list_prompts()).prompts] == ["recall", "wrap_up"]
            message: Any = (await client.get_prompt("recall", {"task": "mend the build"})).messages[0].content
            assert "needs make" in message.text and message.text.endswith("mend the build")
            with pytest.raises(MCPError, match="unknown prompt"):
                await client.get_prompt("recal")

    asyncio.run(run())


def test_a_client_is_told_of_changes_that_another_process_makes(workspace: Path) -> None:
    async def run() -> None:
        async with connected(workspace, "2026-07-28") as client, connected(workspace, "legacy") as other:
            uri = "loopmem://memory"
            async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as events:
                await call(other, "remember", kind="note", text="Told.")
                seen = {type(await anext(events)).__name__ for _ in range(2)}
                assert seen == {"ResourceUpdated", "ResourcesListChanged"}

    asyncio.run(run())


def test_a_client_of_the_older_protocol_is_told_of_changes(workspace: Path) -> None:
    told = anyio.Event()

    async def on_message(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification) and message.params.uri == "loopmem://memory":
            told.set()

    async def run() -> None:
        async with connected(workspace, "legacy", message_handler=on_message) as client:
            await client.subscribe_resource("loopmem://memory")
            async with connected(workspace, "legacy") as other:
                await call(other, "remember", kind="note", text="Told.")
            await told.wait()
            await client.unsubscribe_resource("loopmem://memory")

    asyncio.run(run())


def test_the_repository_is_that_of_the_clients_root_of_workspace_or_of_the_argument(workspace: Path) -> None:
    other = workspace.parent / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)

    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(other.as_uri()))])

    async def run() -> None:
        async with connected(workspace, "legacy", list_roots_callback=roots) as client:
            await call(client, "remember", kind="note", text="Of the root.")
            await call(client, "remember", kind="note", text="Of the argument.", workspace=str(workspace))
        async with connected(workspace, "legacy") as client:
            assert "Of the argument." in (await call(client, "context"))[0]
        async with connected(workspace, "2026-07-28", "--workspace", str(other)) as client:
            text, _ = await call(client, "context")
            assert "Of the root." in text and "Of the argument." not in text

    asyncio.run(run())


def test_progress_is_told_and_a_cancelled_call_ends(workspace: Path) -> None:
    for number in range(300):
        (workspace / f"m{number}.py").write_text(f"def f{number}(): pass\n" * 20)
    steps: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert message is None and total is not None and progress <= total
        steps.append(progress)

    async def run() -> None:
        async with connected(workspace, "legacy") as client:
            await client.call_tool("symbols", {"query": "f7"}, progress_callback=on_progress)
            assert steps and steps == sorted(steps)
        async with connected(workspace, "legacy", "--timeout-ms", "600000") as client:
            _, stored = await call(client, "remember", kind="note", text="One.")
            held = next((workspace.parent / "home").rglob("memory.json.lock"))
            with held_lock(held):
                with anyio.move_on_after(0.2) as scope:
                    await call(client, "remember", kind="note", id=stored["id"], text="Never stored.")
                assert scope.cancelled_caught
                # Others are answered meanwhile.
                assert (await call(client, "working_get"))[1] == {"context": {}}
            assert "Never stored." not in (await call(client, "context"))[0]

    asyncio.run(run())


@contextmanager
def held_lock(path: Path) -> Iterator[None]:
    with open(path, "rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_eight_clients_of_two_languages_lose_nothing(workspace: Path) -> None:
    count = 25
    params = server(workspace)
    node = [
        subprocess.Popen(
            ["node", str(HERE / "mcp_client.mjs"), str(COMMAND), mode, f"node-{n}", str(count)],
            cwd=workspace,
            env=params.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for n, mode in enumerate(["2026-07-28", "2025-11-25"] * 2)
    ]

    async def write(mode: str, name: str) -> None:
        async with connected(workspace, mode) as client:
            for number in range(count):
                await call(client, "remember", kind="note", text=f"{name} {number}")

    async def run() -> None:
        await asyncio.gather(*(write(mode, f"python-{number}") for number, mode in enumerate([*VERSIONS] * 2)))

    asyncio.run(run())
    for process in node:
        out, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0 and out.strip() in VERSIONS.values()

    async def read() -> Any:
        async with connected(workspace, "legacy") as client:
            contents: Any = (await client.read_resource("loopmem://memory")).contents[0]
            return json.loads(contents.text)

    stored = [note["content"] for note in asyncio.run(read())["notes"]]
    names = [f"{language}-{number}" for language in ("python", "node") for number in range(4)]
    assert sorted(stored) == sorted(f"{name} {number}" for name in names for number in range(count))


@contextmanager
def http_server(workspace: Path, token: str | None = None) -> Iterator[tuple[str, str]]:
    """The address of a server over HTTP, and its token."""
    params = server(workspace, "--http", "0")
    env = {**(params.env or {}), **({"LOOPMEM_MCP_TOKEN": token} if token else {})}
    command = [params.command, "--json", *params.args]
    process = subprocess.Popen(command, cwd=workspace, env=env, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    told = json.loads(process.stdout.readline())
    try:
        yield told["url"], token or told["token"]
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_client_with_the_token_is_served_over_http(mode: str, workspace: Path) -> None:
    async def run() -> None:
        with http_server(workspace) as (url, token):
            assert url.startswith("http://127.0.0.1:")
            with anyio.fail_after(PATIENCE):
                async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
                    async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                        assert client.protocol_version == VERSIONS[mode]
                        await call(client, "remember", kind="note", text="Over HTTP.")
                        assert "Over HTTP." in (await call(client, "context"))[0]

    asyncio.run(run())


def test_whoever_has_no_token_or_comes_from_a_page_is_refused(workspace: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    own = "a token of the user's own"
    with http_server(workspace, own) as (url, token), httpx2.Client() as http:
        assert token == own
        good = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        for headers, status in [
            ({}, 401),
            ({"Authorization": "Bearer x"}, 401),
            ({"Authorization": f"Bearer {token[:-1]}"}, 401),
            ({"Authorization": f"Basic {token}"}, 401),
            ({**good, "Host": "evil.example"}, 403),
            ({**good, "Host": "127.0.0.1.evil.example"}, 403),
            ({**good, "Origin": "https://evil.example"}, 403),
            ({**good, "Origin": "null"}, 403),
            ({**good, "Origin": "http://127.0.0.1:1"}, 403),
        ]:
            answer = http.post(url, json=body, headers=headers)
            assert answer.status_code == status, headers
            assert token not in answer.text and "loopmem" not in answer.text
        assert http.post(url + "/../x", json=body, headers=good).status_code == 404
        assert http.post(url, content=b"x" * (20 << 20), headers=good).status_code in (400, 413, 415)
        # It listens on the loopback interface alone, and goes on.
        port = int(url.split(":")[2].split("/")[0])
        others = {str(it[4][0]) for it in socket.getaddrinfo(socket.gethostname(), None)} - {"127.0.0.1", "127.0.1.1"}
        for address in [it for it in others if ":" not in it]:
            with pytest.raises(OSError), socket.create_connection((address, port), timeout=5):
                pass
        answer = http.post(url, content=b"{", headers={**good, "Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500


def test_only_the_tools_that_were_asked_for_are_offered(workspace: Path) -> None:
    async def run() -> None:
        async with connected(workspace, "legacy", "--read-only") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["context", "search", "working_get", "symbols"]
            with pytest.raises(MCPError, match="unknown tool"):
                await client.call_tool("remember", {"kind": "note", "text": "x"})
        async with connected(workspace, "legacy", "--tools", "context,forget") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["context", "forget"]

    asyncio.run(run())
