import { execFile } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { ownFolders } from "@scorel/kit/process/programs";
import type { ExtensionsService } from "../contract.ts";
import type { Step, Target } from "./step.ts";

/** Checks types with the TypeScript compiler, if one is installed: Scorel does not include it. */
export async function checkTypes(
  extensions: ExtensionsService,
  target: Target,
  { env, interrupt }: Pick<Invocation, "env" | "interrupt">,
): Promise<Step> {
  const step = { name: "types", problems: [] };
  if (!existsSync(extensions.tsconfig))
    return { ...step, skipped: true, note: `${extensions.tsconfig} is missing from this build` };
  const compiler = await compilerFor(extensions, target, env.PATH ?? "");
  if (compiler === undefined)
    return { ...step, skipped: true, note: "no tsc on the PATH; npm install --global typescript brings one" };
  const problems = await problemsBy(compiler, extensions.tsconfig, target, interrupt);
  return { ...step, note: `by ${compiler}`, problems };
}

/** The compiler on the PATH, else the one in the extension's project, if the project is trusted. */
async function compilerFor(extensions: ExtensionsService, { file }: Target, path: string): Promise<string | undefined> {
  const name = process.platform === "win32" ? "tsc.cmd" : "tsc";
  const onPath = ownFolders(path, dirname(file)).map((folder) => join(folder, name));
  const folder = await extensions.folderOf(file);
  return [...onPath, ...(folder?.trusted ? above(file, name) : [])].find((candidate) => existsSync(candidate));
}

function above(file: string, name: string): string[] {
  const found: string[] = [];
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    found.push(join(folder, "node_modules", ".bin", name));
  return found;
}

async function problemsBy(
  compiler: string,
  tsconfig: string,
  { file }: Target,
  signal: AbortSignal,
): Promise<string[]> {
  const folder = makeTemporaryFolder("scorel-types-");
  try {
    const project = join(folder, "tsconfig.json");
    const compilerOptions = { allowJs: true };
    const files = [join(dirname(tsconfig), "contracts.d.ts"), file];
    writeFileSync(project, JSON.stringify({ extends: tsconfig, compilerOptions, files }));
    const args = ["--project", project, "--pretty", "false"];
    return problemsIn(await run(compiler, args, { cwd: dirname(file), signal }), dirname(file));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the compiler and returns its output; "" when it succeeds. */
function run(compiler: string, args: string[], options: { cwd: string; signal: AbortSignal }): Promise<string> {
  return new Promise((resolve) => {
    execFile(compiler, args, { ...options, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve(error ? stdout || stderr || error.message : ""),
    );
  });
}

/** One line for each error, as `file:line: text`, without continuation lines. */
function problemsIn(printed: string, folder: string): string[] {
  const lines = printed.split("\n").filter((text) => text.trim() !== "");
  const mistakes = lines.flatMap((text) => {
    const [, file, number, what] = /^(\S.*)\((\d+),\d+\): (.*)$/.exec(text) ?? [];
    return file ? [`${join(folder, file)}:${number}: ${what}`] : [];
  });
  return mistakes.length > 0 ? mistakes : lines.slice(0, 5);
}
