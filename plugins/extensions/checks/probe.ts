import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { PluginRow } from "../contract.ts";
import { errors } from "../errors.ts";
import { ownEnvironment } from "./environment.ts";
import type { Target } from "./step.ts";

const LIMIT_MS = 60_000;

/**
 * Loads a copy of the extension in a separate process with an empty home and directory and no keys in its environment, and
 * returns its row of `scorel plugin list`. `config` is the text of that home's config.toml. Throws EXTENSIONS_NO_ANSWER when that process ends without printing the list.
 */
export async function probe(
  target: Target,
  config: string,
  { env, interrupt }: Pick<Invocation, "env" | "interrupt">,
): Promise<PluginRow> {
  const root = makeTemporaryFolder("scorel-check-");
  try {
    const home = join(root, "home");
    const place = join(home, ".scorel", "extensions");
    const project = join(root, "empty");
    for (const folder of [place, project]) makeFolder(folder);
    const copied = copy(target, place);
    if (config !== "") writeFileSync(join(home, ".scorel", "config.toml"), config, { mode: 0o600 });
    const printed = await run(project, { ...ownEnvironment(env), HOME: home, USERPROFILE: home }, interrupt);
    const row = printed.rows?.find(({ id }) => id === target.id);
    if (!row) throw errors.EXTENSIONS_NO_ANSWER({ path: target.file, reason: printed.reason });
    const { reason } = row;
    return { ...row, ...(reason !== undefined && { reason: reason.replaceAll(copied, dirname(target.file)) }) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Copies the extension and returns the folder that corresponds to the one of its file. */
function copy({ id, file, folder }: Target, place: string): string {
  if (folder !== undefined) {
    cpSync(folder, join(place, id), { recursive: true, dereference: true });
    return join(place, id);
  }
  for (const each of withImports(file, new Set())) {
    const to = resolve(place, relative(dirname(file), each));
    // Files outside of the folder of extensions are not copied; importing one fails in the copy, which is reported.
    if (to.startsWith(place)) cpSync(each, to);
  }
  return place;
}

/** A file and the files that it imports by relative paths. */
function withImports(file: string, found: Set<string>): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  const named = readFileSync(file, "utf8").matchAll(/\b(?:from|import|require)\s*\(?\s*["'](\.[^"']*)["']/g);
  for (const [, path = ""] of named) {
    const full = resolve(dirname(file), path);
    const endings = ["", ".ts", ".mts", ".js", ".mjs", ".json", "/index.ts", "/index.js"];
    const target = endings
      .map((ending) => full + ending)
      .find((each) => existsSync(each) && basename(each).includes("."));
    if (target) withImports(target, found);
  }
  return found;
}

function run(
  cwd: string,
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<{ rows?: PluginRow[]; reason: string }> {
  const args = [process.argv[1] as string, "plugin", "list", "--output", "json"];
  const options = { cwd, env, signal, timeout: LIMIT_MS, maxBuffer: 2 ** 26 };
  return new Promise((done) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      done(answer(stdout, stderr.trim() || (error?.message ?? "it printed nothing to read"))),
    );
  });
}

/** Parses the list at the end of the output. The extension may have printed something before it. */
function answer(stdout: string, reason: string): { rows?: PluginRow[]; reason: string } {
  const start = stdout.lastIndexOf("\n[\n") + 1;
  try {
    return { rows: JSON.parse(stdout.slice(start)) as PluginRow[], reason };
  } catch {
    return { reason };
  }
}
