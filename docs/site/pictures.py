"""The pictures in docs/pictures, of the command in a terminal: pictures.py COMMAND.

Every picture is of a real run, in a pseudo-terminal whose screen pyte keeps. The repository, the texts, the ids and the
times are always the same, so the same command makes the same pictures. Each is made twice, for light and dark pages.
"""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from html import escape
from itertools import groupby
from pathlib import Path
from textwrap import dedent

import pyte
from pyte.graphics import FG_BG_256

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
CLOCK = "2026-03-02T09:00:00Z"
# The prompt of the shell, and what stands for it while the command is typed.
PROMPT = "\x1b[1;32m$\x1b[0m "
# How long the screen must be unchanged before it is taken, and at most, in seconds.
QUIET, PATIENCE = 0.6, 20

FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
# The size of a character cell, and the margin, in pixels.
WIDTH, HEIGHT, MARGIN = 8.0, 18, 14
LIGHT = {
    "default": "#24292f",
    "background": "#ffffff",
    "border": "#d0d7de",
    "black": "#24292f",
    "red": "#cf222e",
    "green": "#116329",
    "brown": "#7d4e00",
    "blue": "#0969da",
    "magenta": "#8250df",
    "cyan": "#1b7c83",
    "white": "#57606a",
    "brightblack": "#57606a",
    "brightred": "#a40e26",
    "brightgreen": "#1a7f37",
    "brightbrown": "#633c01",
    "brightblue": "#0550ae",
    "brightmagenta": "#6639ba",
    "brightcyan": "#116b72",
    "brightwhite": "#24292f",
}
DARK = {
    "default": "#d7dde4",
    "background": "#15191f",
    "border": "#323941",
    "black": "#8b949e",
    "red": "#ff7b72",
    "green": "#7ee787",
    "brown": "#e3b341",
    "blue": "#79c0ff",
    "magenta": "#d2a8ff",
    "cyan": "#76e3ea",
    "white": "#d7dde4",
    "brightblack": "#8b949e",
    "brightred": "#ffa198",
    "brightgreen": "#a5f3b0",
    "brightbrown": "#f2cc60",
    "brightblue": "#a5d6ff",
    "brightmagenta": "#e2c5ff",
    "brightcyan": "#b3f0ff",
    "brightwhite": "#ffffff",
}


BASIC = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
NAMES = [*BASIC, *(f"bright{name}" for name in BASIC)]


class Terminal:
    """A terminal in which commands are run, one after the other."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.folder = folder
        home = folder.parent
        self.environment = {
            "PATH": f"{home / 'bin'}:/usr/bin:/bin",
            "HOME": str(home),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "CODEX_TOOLLOOP_HOME": str(home / ".codex-toolloop"),
            "CODEX_HOME": str(home / ".codex"),
            "GIT_AUTHOR_DATE": CLOCK,
            "GIT_COMMITTER_DATE": CLOCK,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "TZ": "UTC",
        }

    def quietly(self, script: str) -> None:
        """Runs a script of the shell, of which nothing is shown."""
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if ended.returncode != 0:
            raise SystemExit(f"{script}\n{ended.stdout}{ended.stderr}")

    def run(self, typed: str, keys: tuple[str, ...] = (), shown: bool = True) -> None:
        """Runs a command line. A program that uses the whole screen gets the keys, and is ended when it is quiet."""
        if shown:
            self.stream.feed((PROMPT + typed + "\r\n").encode())
        child, master = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("bash", ["bash", "-c", typed], self.environment)
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", self.screen.lines, self.screen.columns, 0, 0))
        self.screen.write_process_input = lambda text: os.write(master, text.encode())
        self._read(master)
        for key in keys:
            os.write(master, key.encode())
            self._read(master)
        if keys:
            os.kill(child, signal.SIGKILL)
        os.close(master)
        os.waitpid(child, 0)

    def _read(self, master: int) -> None:
        """Feeds the screen until it is quiet or the program has ended."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and select.select([master], [], [], QUIET)[0]:
            try:
                self.stream.feed(os.read(master, 65536))
            except OSError:
                return


def svg(screen: pyte.Screen, title: str, colours: dict[str, str]) -> str:
    """The screen as a picture. Text remains text: it can be selected and is found by a search."""
    rows = [list(row) for row in runs(screen)]
    while rows and not rows[-1]:
        rows.pop()
    width = screen.columns * WIDTH + 2 * MARGIN
    height = len(rows) * HEIGHT + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" '
        f'width="{width:g}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1}" rx="6" '
        f'fill="{colours["background"]}" stroke="{colours["border"]}"/>',
        f'<g font-family="{FONT}" font-size="13">',
    ]
    for number, row in enumerate(rows):
        top = MARGIN + number * HEIGHT
        for column, text, style in row:
            front, back = colour(style, colours)
            left, length = MARGIN + column * WIDTH, len(text) * WIDTH
            if back is not None:
                lines.append(f'<rect x="{left:g}" y="{top}" width="{length:g}" height="{HEIGHT}" fill="{back}"/>')
            bold = ' font-weight="bold"' if style.bold else ""
            slanted = ' font-style="italic"' if style.italics else ""
            lined = ' text-decoration="underline"' if style.underscore else ""
            # In whatever font, every piece begins and ends at its columns.
            for piece in re.finditer(r"\S+(?: \S+)*", text):
                x, length = left + piece.start() * WIDTH, len(piece[0]) * WIDTH
                attributes = f'fill="{front}" textLength="{length:g}"{bold}{slanted}{lined}'
                lines.append(f'<text x="{x:g}" y="{top + 13}" {attributes}>{escape(piece[0])}</text>')
    return "\n".join([*lines, "</g>", "</svg>", ""])


def runs(screen: pyte.Screen) -> Iterator[list[tuple[int, str, pyte.screens.Char]]]:
    """For each row, its runs of cells of one style: the column, the text and the style."""
    for row in range(screen.lines):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        while cells and cells[-1].data == " " and cells[-1].bg == "default" and not cells[-1].reverse:
            cells.pop()
        found, column = [], 0
        for style, group in groupby(cells, key=lambda cell: cell._replace(data="")):
            text = "".join(cell.data for cell in group)
            found.append((column, text, style))
            column += len(text)
        yield found


def colour(style: pyte.screens.Char, colours: dict[str, str]) -> tuple[str, str | None]:
    """The colours of the text and of its background, if that has one."""

    def shown(name: str) -> str:
        # The first sixteen of 256 colours are those that have names.
        name = NAMES[FG_BG_256.index(name)] if name in FG_BG_256[:16] else name
        return colours.get(name, f"#{name}")

    front = shown(style.fg)
    back = None if style.bg == "default" else shown(style.bg)
    return (back or colours["background"], front) if style.reverse else (front, back)


def take(name: str, title: str, columns: int, rows: int, scene: Callable[[Terminal], None], command: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="lm-"))
    try:
        (folder / "shop").mkdir()
        (folder / "bin").mkdir()
        wrapper = folder / "bin" / "loopmem"
        wrapper.write_text(f"""#!/bin/sh\nexec {command} --options '{{"clock":"{CLOCK}"}}' "$@"\n""")
        wrapper.chmod(0o755)
        terminal = Terminal(folder / "shop", columns, rows)
        (terminal.folder / "items.jsonl").write_text(lines(ITEMS))
        terminal.quietly(SHOP)
        scene(terminal)
        for theme, colours in {"light": LIGHT, "dark": DARK}.items():
            (PICTURES / f"{name}-{theme}.svg").write_text(svg(terminal.screen, title, colours))
    finally:
        shutil.rmtree(folder)


# The items of the repository: the day, and the rest of the record.
ITEMS = [
    ("01-12", {"scope": "global", "type": "pref", "content": "Answer in German."}),
    ("02-03", {"type": "fact", "tags": ["net"], "content": "The proxy listens on port 8443."}),
    (
        "02-19",
        {
            "type": "fact",
            "tags": ["money"],
            "content": "Prices are integers: the ledger rejects fractions of a cent.",
        },
    ),
    (
        "02-27",
        {"type": "instruction", "tags": ["test"], "content": "Run the tax tests with TZ=UTC; they compare days."},
    ),
    ("03-01", {"type": "fact", "tags": ["money"], "content": "Discounts are applied before tax."}),
]


def lines(items: list[tuple[str, dict[str, object]]], first: int = 1) -> str:
    """Items as JSON lines for an import, with ids in the order of the list."""
    ids = (f"01954f{number:02}-0000-7000-8000-{number:012}" for number in range(first, first + len(items)))
    times = (f"2026-{day}T08:00:00Z" for day, _ in items)
    common = ({"id": id, "created_at": time, "updated_at": time} for id, time in zip(ids, times, strict=True))
    return "".join(
        json.dumps({"scope": "repo", **fields, **item}) + "\n" for fields, (_, item) in zip(common, items, strict=True)
    )


SHOP = dedent("""
    git init --quiet --initial-branch=main
    git config --global user.name Ann
    git config --global user.email ann@example.org
    git config --global advice.diverging false
    mkdir src deploy
    cat > src/cart.rs <<'END'
    use crate::price::{Cents, Discount};
    pub struct Cart { lines: Vec<Line> }
    pub struct Line { pub sku: String, pub price: Cents, pub count: u32 }
    impl Cart {
        pub fn add(&mut self, line: Line) { self.lines.push(line) }
        pub fn total(&self) -> Cents { self.lines.iter().map(|line| line.price * line.count).sum() }
        pub fn apply(&mut self, discount: Discount) -> Result<(), Expired> { Ok(()) }
    }
    END
    cat > src/price.rs <<'END'
    pub struct Cents(pub u64);
    pub enum Discount { Percent(u8), Fixed(Cents) }
    pub fn round_half_even(amount: f64) -> Cents { Cents(amount as u64) }
    END
    cat > src/main.rs <<'END'
    mod cart;
    mod price;
    fn main() { println!("{}", cart::Cart::default().total()) }
    END
    cat > deploy/proxy.py <<'END'
    PORT = 8443
    def reload(config: str) -> None: ...
    END
    loopmem items import items.jsonl && rm items.jsonl
    loopmem memory add convention --id pnpm --title "Use pnpm" "Packages live under packages/."
    loopmem memory add decision --id cents --summary "Store money as integers" --path src/price.rs "Floats lose cents."
    loopmem memory add note --id ci --tag ci "The CI machine is slow on Mondays"
    loopmem summary end --run run-1 --step build --action "Moved the prices to integers" --follow-up "Update the docs"
    git add . && git commit --quiet --message "A shop"
""")


def browse(terminal: Terminal) -> None:
    terminal.run("loopmem items browse", ("j", "j"), shown=False)


def context(terminal: Terminal) -> None:
    terminal.run('loopmem context --prompt "Add a discount to the total" --max-chars 2000')


def index_map(terminal: Terminal) -> None:
    terminal.run('loopmem index map --prompt "Add a discount to the total"')


def merge(terminal: Terminal) -> None:
    tax = ("03-02", {"type": "fact", "tags": ["money"], "content": "The tax office wants CSV."})
    staging = ("03-02", {"type": "fact", "tags": ["net"], "content": "Staging resets every night."})
    terminal.quietly("loopmem install git && git switch --quiet --create topic")
    for first, item, branch in [(6, tax, "topic"), (7, staging, "main")]:
        terminal.quietly(f"git switch --quiet {branch}")
        (terminal.folder.parent / "more.jsonl").write_text(lines([item], first))
        terminal.quietly("loopmem items import ../more.jsonl && git commit --quiet --all --message 'One more item'")
    terminal.run("git merge --no-edit topic")
    terminal.run("loopmem items list --scope repo")


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    command = Path(sys.argv[1]).resolve()
    take("browse", "loopmem items browse", 84, 20, browse, command)
    take("context", "loopmem context", 80, 60, context, command)
    take("map", "loopmem index map", 80, 24, index_map, command)
    take("merge", "git merge with loopmem", 84, 24, merge, command)
