// Finds the native module for this platform: the one that was built in this folder, or the one of a package.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { Unsupported } from "./generated/errors.cjs";

/** The packages with a native module, by platform: see pack.mjs. */
const PACKAGES = {
  // Package managers that do not know what a system's C library is install both.
  "linux-x64": ["loopmem-linux-x64-gnu", "loopmem-linux-x64-musl"],
  "linux-arm64": ["loopmem-linux-arm64-gnu", "loopmem-linux-arm64-musl"],
  "darwin-x64": ["loopmem-darwin-x64"],
  "darwin-arm64": ["loopmem-darwin-arm64"],
} as const;

type PackageName = (typeof PACKAGES)[keyof typeof PACKAGES][number];

/** Loads the native module for this platform, or throws an `Unsupported` that names the platform and says what to do. */
export function load(): unknown {
  const packages: readonly PackageName[] =
    PACKAGES[`${process.platform}-${process.arch}` as keyof typeof PACKAGES] ?? [];
  // In a bundle of ES modules there is no `__dirname`.
  const built = typeof __dirname === "string" ? join(__dirname, "../loopmem.node") : undefined;
  if (built !== undefined && existsSync(built)) {
    try {
      return createRequire(built)(built);
    } catch (error) {
      throw unsupported(packages, error);
    }
  }
  let cause: unknown;
  for (const name of packages) {
    /* eslint-disable @typescript-eslint/no-require-imports -- a native module cannot be imported. */
    try {
      // Bundlers and deployment tools find a package if its name is a literal, and may do without it inside a `try`.
      switch (name) {
        case "loopmem-linux-x64-gnu":
          return require("loopmem-linux-x64-gnu");
        case "loopmem-linux-x64-musl":
          return require("loopmem-linux-x64-musl");
        case "loopmem-linux-arm64-gnu":
          return require("loopmem-linux-arm64-gnu");
        case "loopmem-linux-arm64-musl":
          return require("loopmem-linux-arm64-musl");
        case "loopmem-darwin-x64":
          return require("loopmem-darwin-x64");
        case "loopmem-darwin-arm64":
          return require("loopmem-darwin-arm64");
      }
    } catch (error) {
      // The first error that is more than an absence says why the module that is there does not load.
      if (cause === undefined || (!isAbsent(error) && isAbsent(cause))) cause = error;
    }
    /* eslint-enable */
  }
  throw unsupported(packages, cause);
}

function unsupported(packages: readonly PackageName[], cause: unknown): Unsupported {
  const platform = `${process.platform} on ${process.arch}`;
  const message =
    packages.length === 0
      ? `loopmem has no native module for ${platform}, only for ${Object.keys(PACKAGES).join(", ")}`
      : `loopmem's native module for ${platform} cannot be loaded; ${advice(packages, cause)}`;
  return new Unsupported({ code: "Unsupported", message, retryable: false }, cause === undefined ? {} : { cause });
}

function advice(packages: readonly PackageName[], cause: unknown): string {
  if (!isAbsent(cause)) return "it was built for another platform or another version of its system";
  const absent = packages.length === 1 ? packages.join() : `none of ${packages.join(", ")}`;
  return `${absent} is ${packages.length === 1 ? "not " : ""}installed: install loopmem on this platform, and without omitting optional dependencies`;
}

function isAbsent(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "MODULE_NOT_FOUND";
}
