import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { typedPath } from "@scorel/kit/files/typed-path";
import type { PackageSource } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fetched, Surroundings } from "./fetched.ts";
import { npmSpec } from "./npm-names.ts";
import { repositoryIn } from "./repository-names.ts";

/** Something to install whose content has not been read yet. */
export type Wanted = Pick<PackageSource, "kind" | "spec">;

/** Recognises a source; relative paths start at `cwd`. Throws PACKAGES_SOURCE. */
export function recognise(given: string, cwd: string): Wanted {
  const spec = /^npm:(.*)$/s.exec(given)?.[1];
  if (spec !== undefined) {
    if (npmSpec(spec)) return { kind: "npm", spec: given };
    throw errors.PACKAGES_SOURCE({ source: given, reason: "that is not a name and version of the npm registry" });
  }
  const repository = repositoryIn(given);
  if (repository) return { kind: repository.kind, spec: given };
  if (/^[a-z][a-z\d+.-]*:\/\/|^git@/i.test(given))
    throw errors.PACKAGES_SOURCE({
      source: given,
      reason:
        "the only addresses that can be fetched are git+https://host/repository and git@host:repository, with an optional @branch; download others first",
    });
  const path = typedPath(given, cwd);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw errors.PACKAGES_SOURCE({ source: given, reason: `there is no ${path}` });
  if (stats.isFile() && /\.[cm]?[jt]sx?$/.test(path))
    throw errors.PACKAGES_SOURCE({
      source: given,
      reason: "a package is a folder; copy a single file into ~/.scorel/extensions instead",
    });
  if (stats.isFile()) return { kind: "tarball", spec: path };
  if (!stats.isDirectory())
    throw errors.PACKAGES_SOURCE({ source: given, reason: "it is neither a file nor a folder" });
  return { kind: existsSync(join(path, ".git")) ? "git" : "path", spec: path };
}

/** Copies a source into a staging folder. Throws ARCHIVE and PACKAGES errors. */
export async function fetchSource(wanted: Wanted, staging: string, surroundings: Surroundings): Promise<Fetched> {
  const into = join(staging, "source");
  mkdirSync(into, { mode: 0o700 });
  const { kind, spec } = wanted;
  if (kind === "path") {
    (await import("./folder.ts")).copyFolder(spec, into);
    return { name: basename(spec), notes: [], folder: into, source: wanted };
  }
  if (kind === "git") return await (await import("./git.ts")).checkOut(spec, into, surroundings);
  if (kind === "git+https" || kind === "git+ssh")
    return await (await import("./repository.ts")).fetchRepository(spec, staging, into, surroundings);
  const file = kind === "npm" ? await (await import("./npm.ts")).pack(spec.slice(4), staging, surroundings) : spec;
  const integrity = await (await import("../archive/archive.ts")).unpack(file, into);
  const only = onlyFolder(into);
  const name = only ?? basename(spec).replace(/\.(zip|tgz|tar|tar\.gz)$/i, "");
  return { name, notes: [], folder: join(into, only ?? ""), source: { ...wanted, integrity } };
}

/** The only folder in an unpacked archive, if it contains everything else, as is usual; otherwise undefined. */
function onlyFolder(into: string): string | undefined {
  const [only, ...others] = readdirSync(into);
  const isWrapped = only !== undefined && others.length === 0 && statSync(join(into, only)).isDirectory();
  return isWrapped ? only : undefined;
}
