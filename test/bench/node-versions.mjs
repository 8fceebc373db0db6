/** Further versions of Node to measure, through the registry's package `node`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a bare major version stands for, so that two people measure the same. */
const pinned = { 22: "22.23.3", 24: "24.21.0" };

/** The binary of a version, fetched once with npm into node_modules/.cache. A major version, or an exact one. */
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

/** The package's own install script puts the binary in place. */
function install(folder, version) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts=false", `node@${version}`];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}
