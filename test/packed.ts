import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folders of the installed packages that the published package needs at run time, by their names. */
export function runtimePackages(): Map<string, string> {
  const { resolve } = createRequire(join(root, "package.json"));
  const ripgrep = fs.realpathSync(dirname(dirname(resolve("@vscode/ripgrep"))));
  const native = `@vscode/ripgrep-${process.platform}-${process.arch}`;
  const binary = createRequire(join(ripgrep, "package.json")).resolve(`${native}/package.json`);
  return new Map([
    ["jiti", dirname(resolve("jiti/package.json"))],
    ["@vscode/ripgrep", ripgrep],
    [native, dirname(fs.realpathSync(binary))],
  ]);
}

/** Packs the published package together with its dependencies, so that it can be installed without a registry. */
export function packWhole(into: string, env: NodeJS.ProcessEnv): void {
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync("npm", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const pack = (folder: string, to: string) => {
    const out = npm(["pack", folder, "--ignore-scripts", "--json", "--pack-destination", to], to);
    return join(to, (JSON.parse(out) as [{ filename: string }])[0].filename);
  };
  const work = fs.mkdtempSync(join(into, "whole-"));
  execFileSync("tar", ["-xzf", pack(root, work), "-C", work]);
  const folder = join(work, "package");
  for (const [name, installed] of runtimePackages())
    fs.cpSync(installed, join(folder, "node_modules", name), { recursive: true, dereference: true });
  const file = join(folder, "package.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
  delete manifest.scripts;
  const bundled = { ...manifest, bundleDependencies: [...runtimePackages().keys()] };
  fs.writeFileSync(file, JSON.stringify(bundled));
  pack(folder, into);
  fs.rmSync(work, { recursive: true });
}
