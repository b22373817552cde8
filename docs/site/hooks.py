"""What only the site has: links from pages to the API references, and a search that finds these too."""

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import zip_longest
from pathlib import Path
from posixpath import relpath
from shutil import rmtree

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

# On the site, `<!-- api: NAME -->` is a link to that reference.
APIS = {
    "c": "[C API](../api/c/loopmem.h.md), [C++ API](../api/c/loopmem.hpp.md)",
    "node": "[TypeScript API](../api/node/index.html)",
    "python": "[Python API](../api/python/loopmem.html)",
    "rust": "[Rust API](../api/rust/loopmem/index.html)",
}
# A picture as GitHub shows it, which follows the system. The site's own pages can be switched.
PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)">\s*</picture>'
)
# Where the search finds something in the reference of a language, and what is not searched there.
PLACES = {
    "node": re.compile(r'<h3 class="tsd-anchor-link" id="(?P<id>[^"]+)"><span>(?P<name>(?:\w|<wbr/>)+)</span>'),
    "python": re.compile(r'<(?:section|div) id="(?P<id>(?P<name>[\w.]+))"(?: class="classattr")?>'),
    "rust": re.compile(r'<section id="(?P<id>(?:method|tymethod|variant)\.(?P<name>\w+))"'),
}
NAMES = {"node": "TypeScript", "python": "Python", "rust": "Rust"}
# How much what is found there counts.
REFERENCE = 0.5
END = {"node": "<footer>", "python": "<script>", "rust": '<h2 id="trait-implementations"'}


def on_page_markdown(markdown: str, **_: object) -> str:
    markdown = re.sub(r"<!-- api: (\w+) -->", lambda it: f"On this site: {APIS[it[1]]}.", markdown)
    markdown = re.sub(r"\]\(((?:\.\./)?examples/?)\)", lambda it: f"]({it[1].rstrip('/')}/index.md)", markdown)
    return PICTURE.sub(
        r'<img alt="\g<alt>" src="\g<light>#only-light"><img alt="\g<alt>" src="\g<dark>#only-dark">', markdown
    )


# After the search has written its index.
@event_priority(-100)
def on_post_build(config: MkDocsConfig, **_: object) -> None:
    site = Path(config.site_dir)
    path = site / "search/search_index.json"
    index = json.loads(path.read_text())
    for entry in index["docs"]:
        # The method itself comes before its forms in the languages.
        if entry["location"].startswith("docs/METHODS.html"):
            entry["boost"] = 4
        if entry["location"].startswith("api/"):
            entry["boost"] = REFERENCE
            entry["text"] = re.sub("<pre>.*?</pre>", "", entry["text"], flags=re.S)
    # The sources are in the repository.
    rmtree(site / "api/rust/src")
    for language in NAMES:
        for page in sorted((site / "api" / language).rglob("*.html")):
            text = page.read_text()
            # A page with this only leads to another one.
            if 'http-equiv="refresh"' not in text:
                location = page.relative_to(site).as_posix()
                index["docs"] += entries(language, location, text)
                page.write_text(corrected(location, page, text))
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")))


def entries(language: str, location: str, html: str) -> Iterator[dict[str, object]]:
    """What the search finds on a page of a reference: the page, and the functions and members that it describes."""
    title = re.search(r"<title>(.*?)</title>", html)
    # The methods for asyncio are those of `_rooms`.
    if title is None or location.endswith(("/all.html", "/_aio_rooms.html")):
        return
    name = unescape(re.split(r" \| | in | API doc", title[1])[0])
    html = html.split(END[language])[0]
    places = list(PLACES[language].finditer(html))
    yield {"location": location, "title": f"{name} ({NAMES[language]})", "text": "", "boost": REFERENCE}
    for place, following in zip_longest(places, places[1:]):
        text = html[place.end() : following.start() if following else None]
        member = place["name"] if language == "python" else f"{name}.{place['name'].replace('<wbr/>', '')}"
        words = " ".join(unescape(re.sub(r"<(script|svg|style).*?</\1>|<[^>]*>", " ", text, flags=re.S)).split())
        yield {
            "location": f"{location}#{place['id']}",
            "title": f"{member} ({NAMES[language]})",
            "text": words[:300],
            "boost": REFERENCE,
        }


def corrected(location: str, page: Path, html: str) -> str:
    """A page of a reference with a link to the site, and without links to what does not exist."""
    html = re.sub(r'<a class="src[^>]*>Source</a>', "", html)
    # Docs of `tracing` that rustdoc repeats for every type, with a link that is relative to its own pages.
    html = re.sub(r'<a href="dispatcher#[^>]*>(.*?)</a>', r"\1", html)
    # Where rustdoc's menu of a module looks for its statics.
    html = html.replace('<h2 id="statics"', '<a id="static"></a><h2 id="statics"')
    # A trait without implementations has no script that lists them.
    html = re.sub(
        r'<script src="([^"]*/trait\.impl/[^"]*)"[^>]*></script>',
        lambda it: it[0] if (page.parent / it[1]).exists() else "",
        html,
    )
    home = relpath("index.html", Path(location).parent.as_posix())
    link = f'<p style="margin: 0; padding: .4rem 1rem"><a href="{home}" style="color: inherit">← loopmem</a></p>'
    # In rustdoc's pages, what is in the body stands side by side.
    begin = r'<section id="main-content"[^>]*>' if "/rust/" in location else "<body[^>]*>"
    return re.sub(begin, lambda it: it[0] + link, html, count=1)
