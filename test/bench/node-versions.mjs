/** Installs other versions of Node to measure with, from the npm package `node`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The exact version for a major version, so that all measurements use the same one. */
const pinned = { 22: "22.23.3", 24: "24.21.0" };

/**
 * The path of the program of a version, given as a major or an exact one. Installs it into node_modules/.cache if it is
 * not there.
 */
export function nodeBinary(asked) {
  const version = pinned[asked] ?? asked;
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(
      `--node ${asked}: give one of ${Object.keys(pinned).join(", ")} or an exact version such as ${pinned[24]}`,
    );
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/scorel-bench/node-${version}`, import.meta.url));
  const binary = join(folder, "node_modules/node/bin/node");
  if (!existsSync(binary)) install(folder, version);
  const found = execFileSync(binary, ["--version"], { encoding: "utf8" }).trim();
  if (found !== `v${version}`)
    throw new Error(`${binary} is ${found} instead of v${version}; delete ${folder} and try again`);
  return binary;
}

/** Installs with scripts enabled, since the package's own script puts the program in place. */
function install(folder, version) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts=false", `node@${version}`];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
