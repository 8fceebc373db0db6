import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Manifest, SourceTree } from "./architecture.ts";

/** The folder of this repository. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages of this repository, by their folders. */
export const packages = ["kernel", ...readdirSync(join(root, "plugins")).map((id) => `plugins/${id}`), "presets"];

/** The sources and manifests of this repository. */
export function readSourceTree(): SourceTree {
  const files = packages
    .flatMap((folder) => filesIn(folder))
    .filter((file) => /\.tsx?$|^plugins\/.*(\.js|\/bundle\.mjs)$/.test(file));
  const folders = ["", ...packages, "test"];
  return {
    sources: Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), "utf8")])),
    manifests: Object.fromEntries(folders.map((folder) => [folder, readManifest(folder)])),
  };
}

/**
 * The files of a folder of this repository, without those of others. Recurses itself, since the recursive readdir of Node 20 follows
 * links, and the packages link to each other: a test that used it never ended.
 */
export function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The package.json of a folder; "" is the root. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}
