// Tests the site of the documentation in headless Chromium, as a reader uses it: check.mjs SITE NODE_MODULES [PREFIX].
//
// Every page is opened on a phone: its links and anchors must hold, and it must not scroll sideways. The search must find
// methods in every language, and pages must follow the colours of the system. No page may log an error or make a request to
// another machine. CHROMIUM is the path of the browser, and LOOPMEM_SHOTS=FOLDER keeps screenshots. With a PREFIX, only the
// pages whose path begins with it are opened.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

const [site, modules] = process.argv.slice(2, 4).map((path) => resolve(path));
const prefix = process.argv[4] ?? "";
const { chromium } = createRequire(join(modules, "_.js"))("playwright-core");
const shots = process.env.LOOPMEM_SHOTS;

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
// Tabs that open pages at the same time.
const TABS = 4;
// What is searched for, and where the reader must be able to go.
const SEARCHES = [
  ["memory.upsertConvention", "docs/METHODS.html#memoryupsertconvention"],
  ["upsertConvention", "api/node/classes/index.MemoryApi.html#upsertconvention"],
  ["upsert_convention", "api/python/loopmem/_rooms.html#MemoryApi.upsert_convention"],
  ["loopmem_call", "api/c/loopmem.h.html#loopmem_call"],
  ["Store::open", "api/c/loopmem.hpp.html#storeopen"],
  ["Memory upsert Rust", "api/rust/loopmem/memory/struct.Memory.html#method.upsert"],
  ["merging with git", "docs/CLI.html#merging-with-git"],
];
// A page of each generator, and one with a picture.
const COLOURED = [
  "index.html",
  "docs/CLI.html",
  "docs/NODE.html",
  "api/c/loopmem.h.html",
  "api/node/classes/index.MemoryApi.html",
  "api/python/loopmem.html",
  "api/rust/loopmem/index.html",
];
const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const faults = [];
const fault = (text) => faults.push(text);

const server = createServer((request, response) => {
  const path = join(site, decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  try {
    const body = readFileSync(path);
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

/** A tab in which whatever a reader would not want to happen is a fault. */
async function tab(options) {
  const context = await browser.newContext({ viewport: PHONE, ...options });
  await context.route(
    (url) => !url.href.startsWith(origin) && url.protocol !== "data:" && url.protocol !== "blob:",
    (route) => {
      fault(`${name(route.request().frame().url())}: makes a request to ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") fault(`${name(page.url())}: logs an error: ${message.text()}`);
  });
  page.on("pageerror", (error) => fault(`${name(page.url())}: throws ${error}`));
  page.on("response", (response) => {
    if (response.status() >= 400) fault(`${name(page.url())}: ${name(response.url())} is missing`);
  });
  return page;
}

const name = (url) => url.replace(origin, "");
const goTo = (page, path) => page.goto(origin + path, { waitUntil: "load" });

function pagesBelow(folder = "") {
  return readdirSync(join(site, folder)).flatMap((entry) => {
    const path = folder + entry;
    if (statSync(join(site, path)).isDirectory()) return pagesBelow(`${path}/`);
    return path.endsWith(".html") ? [path] : [];
  });
}

/** What a page refers to, the anchors that it has, and by how much it is too wide. */
function inspect() {
  const attribute = (selector, key) => [...document.querySelectorAll(selector)].map((it) => it[key]);
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    links: [...attribute("a[href]", "href"), ...attribute("img[src]", "src")].filter((it) => typeof it === "string"),
    anchors: [...attribute("[id]", "id"), ...attribute("a[name]", "name")],
    excess: scrollWidth - clientWidth,
  };
}

/** Opens every page on a phone. Of the many pages of a reference, which share their scripts, one in twenty runs them. */
async function everyPage() {
  const seen = new Map();
  const [plain, running] = [[], []];
  for (const [nth, path] of pagesBelow().entries()) {
    if (!path.startsWith(prefix)) continue;
    const target = /http-equiv="refresh" content="0; ?url=([^"]+)"/i.exec(readFileSync(join(site, path), "utf8"))?.[1];
    // A page that only leads to another one.
    if (target !== undefined) seen.set(path, { links: [new URL(target, origin + path).href] });
    else if (/^api\/(node|python|rust)\//.test(path) && nth % 20 !== 0) plain.push(path);
    else running.push(path);
  }
  const open = async (ahead, javaScriptEnabled) => {
    const page = await tab({ javaScriptEnabled });
    for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
      await goTo(page, path);
      const { links, anchors, excess } = await page.evaluate(inspect);
      seen.set(path, { links, anchors: new Set(anchors) });
      if (excess > 0) fault(`${path}: is ${excess} pixels too wide for a phone`);
    }
    await page.context().close();
  };
  const tabs = (ahead, javaScriptEnabled) => Array.from({ length: TABS }, () => open(ahead, javaScriptEnabled));
  await Promise.all(tabs(plain, false));
  await Promise.all(tabs(running, true));

  let checked = 0;
  for (const [path, { links }] of seen) {
    for (const href of new Set(links)) {
      if (!href.startsWith(origin)) continue;
      checked++;
      const { pathname, hash } = new URL(href);
      const target = decodeURIComponent(pathname).slice(1);
      const anchors = seen.get(target)?.anchors;
      if (!isFile(target)) fault(`${path}: links to ${name(href)}, which is missing`);
      else if (anchors !== undefined && !holds(anchors, hash.slice(1)))
        fault(`${path}: links to ${name(href)}, which has no such anchor`);
    }
  }
  return `${seen.size} pages, ${checked} links`;
}

function isFile(path) {
  return statSync(join(site, path), { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Whether an anchor holds, as it is or decoded; those of pictures select one for light or dark. */
function holds(anchors, anchor) {
  return anchor === "" || anchor.startsWith("only-") || anchors.has(anchor) || anchors.has(decodeURIComponent(anchor));
}

/** Searches, and goes to where the search leads. */
async function search() {
  const page = await tab({ viewport: DESKTOP });
  for (const [text, target] of SEARCHES) {
    await goTo(page, "index.html");
    await page.locator(".md-search__input").click();
    await page.keyboard.type(text);
    const [path, anchor] = target.split("#");
    // The method itself is the first result.
    const list = text === SEARCHES[0][0] ? ".md-search-result__item:first-child" : ".md-search-result";
    const result = page.locator(`${list} a[href^="${origin}${path}"][href$="#${anchor}"]`).first();
    try {
      await result.waitFor({ state: "attached", timeout: 20_000 });
    } catch {
      fault(`the search for ${text} does not find ${target}`);
      continue;
    }
    if (shots !== undefined) await page.screenshot({ path: join(shots, `search-${text.replace(/\W/g, "-")}.png`) });
    // A result may be one of several of its page, which are folded.
    await result.evaluate((it) => it.click());
    await page.waitForURL((url) => url.pathname.endsWith(path), { timeout: 20_000 });
    const isThere = await page.evaluate(
      () => document.getElementById(decodeURIComponent(location.hash.slice(1))) !== null,
    );
    if (!isThere) fault(`the search for ${text} leads to ${name(page.url())}, which has no such anchor`);
  }
  await page.context().close();
  return `${SEARCHES.length} searches`;
}

/** The brightness of the page and of its text, from 0 to 1, and the picture that is shown. */
function brightness() {
  const luminance = (colour) => {
    const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
    return alpha === 0 ? undefined : (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  };
  const text = document.querySelector("main p, article p, .tsd-comment p, .docstring p, .docblock p") ?? document.body;
  let behind = text;
  let back;
  while (behind !== null && back === undefined) {
    back = luminance(getComputedStyle(behind).backgroundColor);
    behind = behind.parentElement;
  }
  const pictures = [...document.querySelectorAll('img[src*="pictures/"]')].filter((it) => it.offsetWidth > 0);
  return { back: back ?? 1, front: luminance(getComputedStyle(text).color), pictures: pictures.map((it) => it.src) };
}

/** Light and dark, as the system says, on a desktop and on a phone. */
async function colours() {
  for (const colorScheme of ["light", "dark"]) {
    const page = await tab({ colorScheme });
    for (const path of COLOURED) {
      for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
        await page.setViewportSize(viewport);
        await goTo(page, path);
        const { back, front, pictures } = await page.evaluate(brightness);
        const isRight = colorScheme === "light" ? back > 0.8 && front < 0.5 : back < 0.25 && front > 0.5;
        if (!isRight) fault(`${path}: is not ${colorScheme}: text ${front.toFixed(2)} on ${back.toFixed(2)}`);
        if (
          path === "docs/CLI.html" &&
          !(pictures.length > 0 && pictures.every((it) => it.includes(`-${colorScheme}.svg`)))
        )
          fault(`${path}: does not show the ${colorScheme} pictures, but ${pictures.map(name).join(", ") || "none"}`);
        if (shots !== undefined)
          await page.screenshot({ path: join(shots, `${path.replaceAll("/", "-")}-${colorScheme}-${size}.png`) });
      }
    }
    await page.context().close();
  }
  return `${COLOURED.length} pages in light and dark`;
}

const done = [];
try {
  for (const test of [search, colours, everyPage]) done.push(await test());
} finally {
  await browser.close();
  server.close();
}
const unique = [...new Set(faults)];
for (const text of unique.slice(0, 100)) console.error(text);
if (unique.length > 0) console.error(`site: ${unique.length} faults`);
else console.log(`site: ${done.join(", ")}: no faults`);
process.exitCode = unique.length > 0 ? 1 : 0;
