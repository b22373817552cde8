"""The API references of C and C++ as pages of Markdown, from the headers: header.py FOLDER.

The headers are read by libclang, the parser of the clang compiler, so nothing here has to understand C++. Declarations
are shown as they are written. No Doxygen: its pages have a search, a navigation and colours of their own, and are hard
to read on a phone; these are pages of the site like the others, and are found by its search.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from clang.cindex import AccessSpecifier, Cursor, CursorKind, Index, TranslationUnit

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
CLASSES = (CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE)
FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE)
MEMBERS = (CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR, CursorKind.FIELD_DECL, CursorKind.FUNCTION_TEMPLATE)


def parse(header: Path, *arguments: str) -> TranslationUnit:
    """Parses a header. libclang lacks the compiler's own headers, such as stddef.h, so the system's are used."""
    own = subprocess.run(["cc", "-print-file-name=include"], check=True, capture_output=True, text=True).stdout.strip()
    options = TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = Index.create().parse(str(header), [f"-isystem{own}", f"-I{INCLUDE}", *arguments], options=options)
    errors = [str(it) for it in unit.diagnostics if it.severity >= 3]
    if errors:
        raise SystemExit("\n".join(errors))
    return unit


def is_ours(cursor: Cursor) -> bool:
    file = cursor.location.file
    return file is not None and Path(file.name).resolve().is_relative_to(INCLUDE)


def source(cursor: Cursor) -> str:
    """The text of a declaration, with the indentation of its first line removed from the others."""
    start, end = cursor.extent.start, cursor.extent.end
    text = Path(cursor.location.file.name).read_bytes()[start.offset : end.offset].decode()
    return re.sub(rf"\n {{0,{start.column - 1}}}", "\n", text)


def signature(cursor: Cursor) -> str:
    """A function's declaration without its body."""
    text, depth = source(cursor), 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and (letter == "{" or re.match(r" : \w+[({]", text[at:])):
            # `= {}` is a default of an argument, inside its parentheses.
            text = text[:at]
            break
    return text.rstrip().rstrip(";") + ";"


def comment(cursor: Cursor) -> str:
    """A documentation comment without its stars and slashes."""
    raw = cursor.raw_comment or ""
    raw = re.sub(r"^/\*\*\s?|\s*\*/$", "", raw)
    text = "\n".join(re.sub(r"^\s*(\*|///<?) ?", "", line) for line in raw.splitlines()).strip()
    return re.sub(r"^# Safety$", "**Safety.**", text, flags=re.M)


def preamble(header: Path) -> str:
    """The comment at the top of a header: a title, and paragraphs whose first words name their subject."""
    text = header.read_text().split("*/")[0]
    lines = [re.sub(r"^(/\*| \*) ?", "", line) for line in text.splitlines()]
    text = "\n".join(lines).strip()
    text = re.sub(r"(?<=\n\n)([A-Z][\w ]+)\. ", r"**\1.** ", text)
    return re.sub(r"^  (?! )(\w[\w ]*:)", r"\n- \1", text, flags=re.M)


def code(text: str, language: str) -> str:
    return f"```{language}\n{text}\n```\n"


def entry(level: int, name: str, declaration: str, doc: str, language: str) -> str:
    return f"{'#' * level} `{name}`\n\n{code(declaration, language)}\n{doc}\n"


def c_page() -> str:
    unit = parse(INCLUDE / "loopmem.h", "-xc", "-std=c11")
    functions: dict[str, Cursor] = {}
    structs: dict[str, Cursor] = {}
    macros: list[Cursor] = []
    statuses: list[Cursor] = []
    for cursor in filter(is_ours, unit.cursor.get_children()):
        name = cursor.spelling
        if cursor.kind == CursorKind.FUNCTION_DECL:
            functions[name] = cursor
        elif cursor.kind in (CursorKind.STRUCT_DECL, CursorKind.TYPEDEF_DECL) and cursor.raw_comment:
            structs[name] = cursor
        elif cursor.kind == CursorKind.ENUM_DECL:
            statuses = list(cursor.get_children())
        elif cursor.kind == CursorKind.MACRO_DEFINITION and name.startswith("LOOPMEM_") and name != "LOOPMEM_H":
            macros.append(cursor)
    text = (INCLUDE / "loopmem.h").read_text()

    page = ["# loopmem.h\n", "The API of C, from the header. [C.md](../../docs/C.md) shows how to use it.\n"]
    page.append(preamble(INCLUDE / "loopmem.h").split("\n", 1)[1] + "\n")
    rows = [f"| {it.enum_value} | `{it.spelling}` | {comment(it) or 'Success.'} |" for it in statuses]
    page.append("\n".join(["## Status\n", "| number | name | meaning |", "|---|---|---|", *rows, ""]))
    page.append("## Exported functions\n")
    exported = {name: it for name, it in functions.items() if "static inline" not in source(it)}
    page += [entry(3, name, signature(it), comment(it), "c") for name, it in exported.items()]
    page.append("## Constants\n\n")
    for macro in macros:
        doc = re.search(rf"/\*\*((?:(?!\*/).)*)\*/\n#define {macro.spelling}\b[^\n]*", text, re.S)
        if doc and "(X)" not in doc.group(0):
            lines = [re.sub(r"^\s*\* ?", "", line) for line in doc.group(1).splitlines()]
            page.append(entry(3, macro.spelling, doc.group(0).rsplit("\n", 1)[1], "\n".join(lines).strip(), "c"))

    def is_typed(name: str) -> bool:
        return name.endswith("_params") and name.removesuffix("_params") in functions

    page.append("## Types\n\n")
    seen: set[str] = set()
    for name, it in structs.items():
        if not is_typed(name) and not name.startswith("loopmem_json"):
            page.append(entry(3, name, declared(text, name), comment(it), "c"))
            seen.add(name)
    page.append("## Methods\n")
    page.append("A function for every method, and the struct with its params. Members that end in `_json` take JSON.\n")
    for name, it in functions.items():
        if name not in exported and f"{name}_params" in structs or name == "loopmem_store_open":
            params = declared(text, f"{name}_params") if f"{name}_params" in structs else ""
            page.append(entry(3, name, (params + "\n\n" if params else "") + signature(it), comment(it), "c"))
    return "\n".join(page)


def declared(text: str, name: str) -> str:
    """The declaration of a type, up to the semicolon that ends it."""
    struct = re.search(rf"^typedef struct {name} \{{.*?^\}} {name};", text, re.S | re.M)
    if struct is None:
        struct = re.search(rf"^typedef [^;]*\b{name};", text, re.M)
    assert struct is not None, name
    return struct.group(0)


def described(cursor: Cursor) -> Iterator[Cursor]:
    """What a namespace or a class declares for users."""
    for it in cursor.get_children():
        is_public = it.access_specifier in (AccessSpecifier.PUBLIC, AccessSpecifier.INVALID)
        if is_ours(it) and is_public and it.spelling != "detail":
            yield it


def cpp_page() -> str:
    unit = parse(INCLUDE / "loopmem.hpp", "-xc++", "-std=c++17")
    page = ["# loopmem.hpp\n", "The API of C++17, from the headers. [C.md](../../docs/C.md) shows how to use it.\n"]
    page.append(preamble(INCLUDE / "loopmem.hpp").split("\n", 1)[1] + "\n")
    spaces = [it for it in unit.cursor.get_children() if it.kind == CursorKind.NAMESPACE and is_ours(it)]
    for it in (it for space in spaces for it in described(space)):
        if it.kind in FUNCTIONS and it.raw_comment:
            page.append(entry(2, it.spelling, signature(it), comment(it), "cpp"))
        elif it.kind in CLASSES and it.is_definition() and it.raw_comment:
            bases = [base.type.spelling for base in it.get_children() if base.kind == CursorKind.CXX_BASE_SPECIFIER]
            derived = f" : public {', public '.join(bases)}" if bases else ""
            kind = "struct" if it.kind == CursorKind.STRUCT_DECL else "class"
            page.append(entry(2, it.spelling, f"{kind} {it.spelling}{derived};", comment(it), "cpp"))
            for member in described(it):
                if member.kind in MEMBERS and member.raw_comment:
                    name = f"{it.spelling}::{member.spelling}"
                    page.append(entry(3, name, signature(member), comment(member), "cpp"))
    return "\n".join(page)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "loopmem.h.md").write_text(c_page())
    (folder / "loopmem.hpp.md").write_text(cpp_page())
