"""`loopmem mcp --as server-memory` answers as `@modelcontextprotocol/server-memory` does, and both share a file."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceUpdatedNotification

from writers import DEBUG, ROOT

REFERENCE = ROOT / "bindings/node/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
VERSIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
"""The reference server speaks the older one alone."""
GRAPH = "memory://knowledge-graph"
PATIENCE = 60.0
"""A test that waits longer fails, in seconds."""

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


class Answer(NamedTuple):
    """What a tool answers."""

    is_error: bool
    content: list[dict[str, Any]]
    structured: Any


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "graphs"
    folder.mkdir()
    return folder / "memory.jsonl"


def ours(file: Path) -> StdioServerParameters:
    # Neither a repository nor a store is needed.
    home = file.parent.parent
    env = {**os.environ, "CODEX_TOOLLOOP_HOME": str(home / "home"), "CODEX_HOME": str(home / "codex")}
    args = ["mcp", "--as", "server-memory", str(file)]
    return StdioServerParameters(command=str(DEBUG / "loopmem"), args=args, cwd=str(home), env=env)


def reference(file: Path) -> StdioServerParameters:
    env = {**os.environ, "MEMORY_FILE_PATH": str(file)}
    return StdioServerParameters(command="node", args=[str(REFERENCE)], env=env)


@asynccontextmanager
async def connected(server: StdioServerParameters, mode: str = "legacy", **options: Any) -> AsyncIterator[Client]:
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(server), mode=mode, **options) as client:
            yield client


async def answer(client: Client, name: str, arguments: dict[str, Any] | None = None) -> Answer:
    result = await client.call_tool(name, arguments)
    content = [block.model_dump(exclude_none=True) for block in result.content]
    return Answer(result.is_error, content, result.structured_content)


async def call(client: Client, name: str, **arguments: object) -> Any:
    told = await answer(client, name, arguments)
    assert not told.is_error, told
    return told.structured


async def graph_of(server: StdioServerParameters) -> Answer:
    async with connected(server) as client:
        told = await answer(client, "read_graph")
        assert not told.is_error, told
        return told


def entity(name: str, kind: str, *observations: str) -> dict[str, Any]:
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(start: str, kind: str, end: str) -> dict[str, Any]:
    return {"from": start, "to": end, "relationType": kind}


ODD = 'Zoë "Ω" \\ / \t\n\r\b\f\x01\x7f\u0085\u2028\ufeff😀 <&> مرحبا'
CALLS: list[tuple[str, dict[str, Any] | None]] = [
    # Nothing is stored yet, and there is no file.
    ("read_graph", None),
    ("search_nodes", {"query": ""}),
    ("open_nodes", {"names": ["Ada"]}),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": ["Lost."]}]}),
    ("delete_entities", {"entityNames": ["Ada"]}),
    ("delete_observations", {"deletions": [{"entityName": "Ada", "observations": ["Lost."]}]}),
    ("delete_relations", {"relations": [relation("Ada", "knows", "Charles")]}),
    ("read_graph", {}),
    # Entities. Those of one call are not compared with each other.
    ("create_entities", {"entities": []}),
    ("create_entities", {"entities": [entity("Ada", "person", "Wrote the first program.", "Born in London.")]}),
    ("create_entities", {"entities": [entity("Ada", "ship", "Another one."), entity("Charles", "person")]}),
    ("create_entities", {"entities": [entity("Twin", "a", "x", "x"), entity("Twin", "b", "x"), entity("Ada", "c")]}),
    ("create_entities", {"entities": [entity("Twin", "c")]}),
    ("create_entities", {"entities": [entity("ada", "PERSON", "In lower case.")]}),
    ("create_entities", {"entities": [entity("", "", "")]}),
    ("create_entities", {"entities": [entity(ODD, ODD, ODD), entity("ΣΑΣ", "Straße", "İstanbul", "E\u0301")]}),
    # Others' fields are dropped, and the order is that of the schema.
    (
        "create_entities",
        {"entities": [{"id": 7, "observations": ["o"], "entityType": "engine", "name": "Engine"}], "more": True},
    ),
    ("read_graph", {"more": True}),
    # Relations, also of entities that do not exist.
    ("create_relations", {"relations": []}),
    ("create_relations", {"relations": [relation("Ada", "knows", "Charles"), relation("Charles", "built", "Engine")]}),
    ("create_relations", {"relations": [relation("Ada", "knows", "Charles"), relation("Charles", "knows", "Ada")]}),
    ("create_relations", {"relations": [relation("No", "like", "Nowhere"), relation("No", "like", "Nowhere")]}),
    ("create_relations", {"relations": [relation("No", "like", "Ada"), relation(ODD, ODD, ODD)]}),
    ("create_relations", {"relations": [{"weight": 2, "relationType": "r", "to": "Twin", "from": "Twin"}]}),
    # Observations: the first entity of a name has them.
    ("add_observations", {"observations": []}),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": []}]}),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": ["Born in London.", "New.", "New."]}]}),
    (
        "add_observations",
        {"observations": [{"entityName": "Ada", "contents": ["1", "2"]}, {"contents": ["2"], "entityName": "Ada"}]},
    ),
    ("add_observations", {"observations": [{"entityName": "Twin", "contents": ["x", "y"]}]}),
    ("add_observations", {"observations": [{"entityName": ODD, "contents": [ODD, ODD + "!"]}]}),
    # Nothing of a call that fails is kept.
    (
        "add_observations",
        {"observations": [{"entityName": "Ada", "contents": ["Lost."]}, {"entityName": "No\n", "contents": ["Lost."]}]},
    ),
    ("read_graph", {}),
    # Search, in names, types and observations alone.
    ("search_nodes", {"query": ""}),
    ("search_nodes", {"query": "ada"}),
    ("search_nodes", {"query": "LONDON"}),
    ("search_nodes", {"query": "PERSON"}),
    ("search_nodes", {"query": "knows"}),
    ("search_nodes", {"query": "Nowhere"}),
    ("search_nodes", {"query": "born london"}),
    ("search_nodes", {"query": " "}),
    ("search_nodes", {"query": "ς"}),
    ("search_nodes", {"query": "STRASSE"}),
    ("search_nodes", {"query": "STRAẞE"}),
    ("search_nodes", {"query": "i̇stanbul"}),
    ("search_nodes", {"query": "istanbul"}),
    ("search_nodes", {"query": "é"}),
    ("search_nodes", {"query": "😀 <&>"}),
    ("search_nodes", {"query": ".*"}),
    # Nodes are in the order of the file.
    ("open_nodes", {"names": []}),
    ("open_nodes", {"names": ["Engine", "Ada", "Engine", "Nobody"]}),
    ("open_nodes", {"names": ["ADA"]}),
    ("open_nodes", {"names": ["Nowhere", "No"]}),
    ("open_nodes", {"names": ["Twin", "", ODD]}),
    # Arguments that no tool takes.
    ("create_entities", None),
    ("create_entities", {"entities": None}),
    ("create_entities", {"entities": "Ada"}),
    ("create_entities", {"entities": {"name": "Ada"}}),
    ("create_entities", {"entities": [1, 1.5, "x", None, [], True, {}]}),
    ("create_entities", {"entities": [entity("Lost", "t"), {"name": 1, "entityType": None, "observations": "x"}]}),
    ("create_entities", {"entities": [{**entity("Lost", "t"), "observations": ["x", 1, None, {}, []]}]}),
    ("create_relations", {"entities": []}),
    ("create_relations", {"relations": [{"from": "Ada"}, {"from": False, "to": {}, "relationType": []}]}),
    ("add_observations", {"observations": [{"entityName": "Ada", "observations": ["x"]}]}),
    ("add_observations", {"observations": [{"entityName": "Ada", "contents": "x"}]}),
    ("delete_entities", {"entityNames": "Ada"}),
    ("delete_entities", {"entityNames": ["Ada", 5]}),
    ("delete_observations", {"deletions": [{"entityName": "Ada", "contents": ["x"]}]}),
    ("delete_relations", {"relations": [relation("Ada", "knows", "Charles"), None]}),
    ("search_nodes", {}),
    ("search_nodes", {"query": ["ada"]}),
    ("open_nodes", {"names": {"0": "Ada"}}),
    ("open_nodes", {"names": [None]}),
    ("read_nodes", {}),
    ("read_graph", {}),
    # Deletions.
    ("delete_observations", {"deletions": []}),
    ("delete_observations", {"deletions": [{"entityName": "Ada", "observations": ["New.", "No.", "1"]}]}),
    (
        "delete_observations",
        {"deletions": [{"entityName": "Nobody", "observations": ["x"]}, {"entityName": "Twin", "observations": ["x"]}]},
    ),
    ("delete_observations", {"deletions": [{"entityName": ODD, "observations": [ODD]}]}),
    ("open_nodes", {"names": ["Ada", "Twin", ODD]}),
    ("delete_relations", {"relations": []}),
    ("delete_relations", {"relations": [relation("Ada", "knows", "Charles"), relation("Ada", "knows", "Nobody")]}),
    ("delete_relations", {"relations": [relation("ada", "like", "Nowhere"), relation(ODD, ODD, ODD)]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": []}),
    # Relations go with the names of their ends, even if there are no such entities.
    ("delete_entities", {"entityNames": ["Nowhere", "Charles", "Nobody"]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Twin", "Twin", ""]}),
    ("read_graph", {}),
    ("create_entities", {"entities": [entity("Twin", "again")]}),
    ("create_relations", {"relations": [relation("Twin", "r", "Ada")]}),
    ("search_nodes", {"query": "again"}),
    ("read_graph", {}),
]


@pytest.mark.parametrize("mode", VERSIONS)
def test_the_tools_are_those_of_the_reference_server(mode: str, file: Path) -> None:
    async def tools(server: StdioServerParameters, mode: str) -> list[Any]:
        async with connected(server, mode) as client:
            assert client.protocol_version == VERSIONS[mode]
            return [
                {
                    "name": tool.name,
                    "title": tool.title,
                    "description": tool.description,
                    "input": tool.input_schema,
                    "output": tool.output_schema,
                    "annotations": tool.annotations and tool.annotations.model_dump(),
                }
                for tool in (await client.list_tools()).tools
            ]

    async def run() -> None:
        expected = await tools(reference(file), "legacy")
        assert len(expected) == 9
        assert await tools(ours(file), mode) == expected
        assert not file.exists()

    asyncio.run(run())


@pytest.mark.parametrize("mode", VERSIONS)
def test_every_answer_is_that_of_the_reference_server(mode: str, file: Path) -> None:
    its = file.with_name("reference.jsonl")

    async def run() -> None:
        async with connected(reference(its)) as expected, connected(ours(file), mode) as client:
            for name, arguments in CALLS:
                told = await answer(client, name, arguments)
                assert told == await answer(expected, name, arguments), (name, arguments)
        # Each reads what the other has written.
        graphs = [await graph_of(server(path)) for server in (ours, reference) for path in (file, its)]
        assert graphs == [graphs[0]] * 4
        assert graphs[0].structured["entities"] and graphs[0].structured["relations"]

    asyncio.run(run())


def test_each_goes_on_with_what_the_other_has_written(file: Path) -> None:
    async def run() -> None:
        async with connected(ours(file)) as one, connected(reference(file)) as other:
            clients = [one, other]

            async def agree() -> Any:
                graphs = [await answer(client, "read_graph") for client in clients]
                assert graphs[0] == graphs[1]
                return graphs[0].structured

            for number in range(6):
                name = f"{ODD} {number}"
                writer, reader = clients if number % 2 == 0 else clients[::-1]
                await call(writer, "create_entities", entities=[entity(name, "t", "First."), entity("Ada", "person")])
                assert (await agree())["entities"][-1]["name"] == (name if number else "Ada")
                told = await call(reader, "add_observations", observations=[{"entityName": name, "contents": [ODD]}])
                assert told == {"results": [{"entityName": name, "addedObservations": [ODD]}]}
                added = await call(writer, "create_relations", relations=[relation(name, "of", "Ada")])
                assert added == {"relations": [relation(name, "of", "Ada")]}
                assert await call(reader, "create_relations", relations=[relation(name, "of", "Ada")]) == {
                    "relations": []
                }
                deletion = {"entityName": name, "observations": ["First."]}
                await call(reader, "delete_observations", deletions=[deletion])
                assert (await call(writer, "open_nodes", names=[name]))["entities"] == [entity(name, "t", ODD)]
                await agree()
            assert len((await agree())["relations"]) == 6
            # Without anything in it, too.
            await call(other, "delete_entities", entityNames=[f"{ODD} {number}" for number in range(5)])
            await call(one, "delete_entities", entityNames=[f"{ODD} 5", "Ada"])
            assert await agree() == {"entities": [], "relations": []}
            await call(other, "create_entities", entities=[entity("Ada", "person")])
            await call(other, "delete_entities", entityNames=["Ada"])
            assert await agree() == {"entities": [], "relations": []}
            await call(one, "create_entities", entities=[entity("Ada", "person")])
            assert await agree() == {"entities": [entity("Ada", "person")], "relations": []}

    asyncio.run(run())


def test_a_file_is_read_however_it_was_written(file: Path) -> None:
    # Relations first, with lines of Windows, empty lines, spaces, escapes and fields in another order.
    lines = [
        b'{"type":"relation","from":"Zo\\u00eb","to":"b","relationType":"r"}',
        b"",
        b'  { "observations" : [ "\\ud83d\\ude00" ] , "name" : "Zo\xc3\xab", "entityType":"t", "type":"entity" }\t',
        b" \t ",
        b'{"type":"entity","name":"b","entityType":"t","observations":[]}',
        b'{"type":"entity","name":"b","entityType":"u","observations":[]}',
    ]

    async def run() -> None:
        for end in (b"\n", b"\r\n"):
            for last in (b"", end):
                file.write_bytes(end.join(lines) + last)
                expected = await graph_of(reference(file))
                assert len(expected.structured["entities"]) == 3
                assert await graph_of(ours(file)) == expected
                async with connected(ours(file)) as client:
                    await call(client, "create_entities", entities=[entity("new", "t")])
                    told = await answer(client, "read_graph")
                assert told.structured["entities"] == [*expected.structured["entities"], entity("new", "t")]
                assert await graph_of(reference(file)) == told

    asyncio.run(run())


FOREIGN = [
    b'{"type":"note",  "text":"Of another program.", "name":"Ada"}',
    b'{"name":"Without a type.","observations":["x"]}',
    b'{"type":"Entity","name":"In upper case."}',
    b"this line is broken",
    b'{"type":"entity","name":"Cut off","entityType":"t","observ',
    b"\xff\xfe is no text",
    b'"text"',
    b"[1, 2]",
    b"null",
    b"1e999",
]
"""Lines that are neither entities nor relations. Of some of them, the reference server fails."""
ADA = {"id": 7, **entity("Ada", "person", "Wrote the first program."), "source": {"file": "a.md", "lines": [1, 2.5]}}
KNOWS = {"since": "1833", **relation("Ada", "knows", "Charles"), "weight": 1.0}


def records(file: Path) -> list[dict[str, Any]]:
    """The entities and relations of the file, with all fields."""
    lines = [line for line in file.read_bytes().splitlines() if line and line not in FOREIGN]
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("last", [FOREIGN[0], FOREIGN[4], b""], ids=["a note", "a broken line", "nothing"])
def test_lines_and_fields_of_others_are_kept(last: bytes, file: Path) -> None:
    ada, knows = {"type": "entity", **ADA}, {"type": "relation", **KNOWS}
    before = [it for it in FOREIGN if it != last]
    charles = b'{"type":"entity","name":"Charles","entityType":"person","observations":[]}'
    head = [*before[:3], json.dumps(ada).encode(), *before[3:6], charles, json.dumps(knows).encode(), *before[6:]]
    # The last line has no end.
    file.write_bytes(b"\n".join([*head, last] if last else [*head, b""]))
    graph = {
        "entities": [entity("Ada", "person", "Wrote the first program."), entity("Charles", "person")],
        "relations": [relation("Ada", "knows", "Charles")],
    }

    def check_lines() -> None:
        lines = file.read_bytes().split(b"\n")
        # An unfinished line is set aside, so that the reference server can read the file again.
        torn = file.with_name(f"{file.name}.torn")
        lines += torn.read_bytes().split(b"\n") if torn.exists() else []
        assert [line for line in lines if line in FOREIGN] == [*before, *([last] if last else [])]

    async def run() -> None:
        async with connected(ours(file)) as client:
            written = file.read_bytes()
            assert await call(client, "read_graph") == graph
            assert await call(client, "search_nodes", query="program") == {**graph, "entities": graph["entities"][:1]}
            assert await call(client, "open_nodes", names=["Charles"]) == {**graph, "entities": graph["entities"][1:]}
            # Reading changes nothing.
            assert file.read_bytes() == written
            await call(client, "create_entities", entities=[entity("New", "t"), entity("Ada", "person")])
            check_lines()
            await call(client, "create_relations", relations=[relation("New", "r", "Ada"), relation("New", "r", "New")])
            check_lines()
            await call(client, "add_observations", observations=[{"entityName": "Ada", "contents": ["Born.", "Died."]}])
            check_lines()
            deletion = {"entityName": "Ada", "observations": ["Wrote the first program.", "Died."]}
            await call(client, "delete_observations", deletions=[deletion])
            check_lines()
            new = [{"type": "entity", **entity("New", "t")}, {"type": "relation", **relation("New", "r", "Ada")}]
            kept = records(file)
            for record in ({**ada, "observations": ["Born."]}, json.loads(charles), knows, *new):
                assert kept.count(record) == 1, record
            assert len(kept) == 6
            await call(client, "delete_relations", relations=[relation("New", "r", "New")])
            check_lines()
            await call(client, "delete_entities", entityNames=["Charles", "New"])
            check_lines()
            assert records(file) == [{**ada, "observations": ["Born."]}]
            await call(client, "delete_entities", entityNames=["Ada"])
            check_lines()
            assert records(file) == []
            assert await call(client, "read_graph") == {"entities": [], "relations": []}

    asyncio.run(run())


def test_two_processes_lose_nothing(file: Path) -> None:
    count = 50

    async def write(client: Client, name: str) -> None:
        for number in range(count):
            told = await call(client, "create_entities", entities=[entity(f"{name} {number}", "t", "o")])
            assert told == {"entities": [entity(f"{name} {number}", "t", "o")]}

    async def run() -> None:
        async with connected(ours(file)) as one, connected(ours(file)) as other:
            # Both are ready before the first write.
            await asyncio.gather(*(call(client, "read_graph") for client in (one, other)))
            await asyncio.gather(write(one, "a"), write(other, "b"))
        graph = await graph_of(reference(file))
        assert await graph_of(ours(file)) == graph
        stored = [it["name"] for it in graph.structured["entities"]]
        assert sorted(stored) == sorted(f"{name} {number}" for name in "ab" for number in range(count))
        # Each process's are in its order.
        for name in "ab":
            assert [it for it in stored if it[0] == name] == [f"{name} {number}" for number in range(count)]

    asyncio.run(run())


def test_calls_that_do_not_wait_for_each_other_lose_nothing(file: Path) -> None:
    count = 50

    async def run() -> None:
        async with connected(ours(file)) as client:
            await call(client, "create_entities", entities=[entity("Ada", "person")])
            added = [{"entityName": "Ada", "contents": [str(number)]} for number in range(count)]
            await asyncio.gather(*(call(client, "add_observations", observations=[it]) for it in added))
            stored = (await call(client, "read_graph"))["entities"][0]["observations"]
            assert sorted(stored, key=int) == [str(number) for number in range(count)]

    asyncio.run(run())


KEY = "AKIA" + "W5XJ2QK7RN4BVD3H"
PASSWORD = "hX9tq2" + "Lw7zRb4"


@pytest.mark.parametrize(
    ("secret", "text"),
    [(KEY, f"The key is {KEY}."), (PASSWORD, f"Start it with DB_PASSWORD={PASSWORD} and --verbose.")],
    ids=["key", "password"],
)
def test_no_secret_is_in_the_file(secret: str, text: str, file: Path) -> None:
    async def run() -> None:
        async with connected(ours(file)) as client:
            await call(client, "create_entities", entities=[entity("proxy", "service", "It listens on port 8443.")])
            # Whether the call is refused or the secret redacted.
            await answer(client, "create_entities", {"entities": [entity("database", "service", text)]})
            await answer(client, "add_observations", {"observations": [{"entityName": "proxy", "contents": [text]}]})
            told = await call(client, "search_nodes", query="port 8443")
            assert [it["name"] for it in told["entities"]] == ["proxy"]
            assert secret not in json.dumps(await call(client, "read_graph"))
        # Nor beside it.
        for path in file.parent.parent.rglob("*"):
            assert not path.is_file() or secret.encode() not in path.read_bytes(), path
        assert "port 8443" in file.read_text()
        assert not (await graph_of(reference(file))).is_error

    asyncio.run(run())


def test_the_graph_is_a_resource(file: Path) -> None:
    updates: list[str] = []

    async def on_message(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            updates.append(message.params.uri)

    async def resources(server: StdioServerParameters) -> list[Any]:
        updates.clear()
        async with connected(server, message_handler=on_message) as client:
            listed = [it.model_dump(exclude_none=True) for it in (await client.list_resources()).resources]
            templates = (await client.list_resource_templates()).resource_templates
            read = [it.model_dump(exclude_none=True) for it in (await client.read_resource(GRAPH)).contents]
            with pytest.raises(MCPError):
                await client.read_resource("memory://nothing")
            await call(client, "create_entities", entities=[entity("before", "t")])
            assert updates == []
            await client.subscribe_resource(GRAPH)
            await call(client, "create_entities", entities=[entity("during", "t")])
            while not updates:
                await anyio.sleep(0.01)
            await client.unsubscribe_resource(GRAPH)
            return [listed, templates, read, {*updates}]

    async def run() -> None:
        expected = await resources(reference(file.with_name("reference.jsonl")))
        assert len(expected[0]) == 1 and expected[3] == {GRAPH}
        assert await resources(ours(file)) == expected

    asyncio.run(run())
