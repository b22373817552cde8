// An npm registry on the loopback interface, with the tarballs that it is given.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";

/** The `package.json` in a tarball. */
export function manifestOf(tarball) {
  return JSON.parse(execFileSync("tar", ["-xzOf", tarball, "package/package.json"]));
}

/** The tarballs in a folder, by the name of their package. */
export function tarballsIn(folder) {
  const paths = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  return new Map(paths.map((name) => join(folder, name)).map((path) => [manifestOf(path).name, path]));
}

/**
 * A registry with `tarballs`, of which the last version of a package is the latest. `requests` has the paths that were
 * requested. It keeps no process alive.
 */
export async function registry(...tarballs) {
  const published = tarballs.map((path) => {
    const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
    return { path, manifest: manifestOf(path), integrity };
  });
  const requests = [];
  const packument = (name) => {
    const versions = published.filter(({ manifest }) => manifest.name === name);
    if (versions.length === 0) return undefined;
    const entry = ({ path, manifest, integrity }) => {
      const tarball = `${url}/${name}/-/${manifest.version}/${basename(path)}`;
      return [manifest.version, { ...manifest, _id: `${name}@${manifest.version}`, dist: { tarball, integrity } }];
    };
    return {
      name,
      "dist-tags": { latest: versions.at(-1).manifest.version },
      versions: Object.fromEntries(versions.map(entry)),
      // Package managers hold back versions that were published a moment ago.
      time: Object.fromEntries(versions.map(({ manifest }) => [manifest.version, "2020-01-01T00:00:00.000Z"])),
    };
  };
  const server = createServer((request, response) => {
    requests.push(request.url);
    const [, name, , version] = request.url.split("/").map(decodeURIComponent);
    if (version === undefined) {
      const answer = packument(name);
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { error: "not found" }));
      return;
    }
    const { path } = published.find(({ manifest }) => manifest.name === name && manifest.version === version);
    response.writeHead(200, { "content-type": "application/octet-stream" });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  server.on("connection", (socket) => socket.unref());
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, requests };
}
