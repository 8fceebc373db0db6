import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { isWithin } from "@scorel/kit/files/paths";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { ownEnvironment } from "../checks/environment.ts";
import type { ExtensionsService } from "../contract.ts";
import { errors } from "../errors.ts";
import { tellRun } from "./tell-run.ts";

const isTest = (name: string) => /\.test\.[mc]?[jt]s$/.test(name);

/**
 * `plugin test`: runs the tests beside an extension in a process with an empty home and no keys. Returns 1 if one fails. Throws
 * EXTENSIONS_UNTRUSTED for a project's extension before the project is trusted, and EXTENSIONS_NO_TESTS.
 */
export async function runTests(extensions: ExtensionsService, invocation: Invocation): Promise<number> {
  const { args, cwd, env } = invocation;
  const path = args[0] === undefined ? await withoutPath(extensions, cwd) : resolve(cwd, args[0]);
  const files = testsAt(path);
  if (files.length === 0) throw errors.EXTENSIONS_NO_TESTS({ path });
  const folder = await extensions.folderOf(files[0] as string);
  if (folder && !folder.trusted) throw errors.EXTENSIONS_UNTRUSTED({ path });
  if (!folder) tellRun(path, invocation);
  const home = makeTemporaryFolder("scorel-plugin-test-");
  try {
    const temporary = join(home, "tmp");
    mkdirSync(temporary, { mode: 0o700 });
    // A test that is ended leaves its temporary files: they are removed with the home.
    const own = { ...ownEnvironment(env), HOME: home, USERPROFILE: home, TMPDIR: temporary };
    return await run([extensions.testRunner, ...files], { cwd: dirname(files[0] as string), env: own }, invocation);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * The folder that `plugin test` searches if no path is given: that of the project's extensions, if it is below the current folder and has
 * tests, otherwise the current folder.
 */
async function withoutPath(extensions: ExtensionsService, cwd: string): Promise<string> {
  const { path } = await extensions.folder("project");
  return isWithin(resolve(cwd), path) && testsIn(path).length > 0 ? path : resolve(cwd);
}

/** The test files of an extension: those in its folder, or the one beside its file with the same name. A test file is returned itself. */
function testsAt(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw errors.EXTENSIONS_FILE({ path, reason: "it does not exist" });
  if (stats.isDirectory()) return testsIn(path);
  if (isTest(path)) return [path];
  const { dir, name } = parse(path);
  if (name === "index") return testsIn(dir);
  return testsIn(dir).filter((file) => dirname(file) === dir && basename(file).startsWith(`${name}.test.`));
}

function testsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === "node_modules" || entry.name.startsWith(".") ? [] : testsIn(path);
      return isTest(entry.name) ? [path] : [];
    })
    .sort();
}

function run(
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  { stdout, stderr, interrupt }: Invocation,
): Promise<number> {
  const child = spawn(process.execPath, ["--test-reporter=spec", ...args], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // Ctrl-C reaches both processes, but other signals only this one.
  const end = () => void child.kill();
  interrupt.addEventListener("abort", end, { once: true });
  child.stdout.on("data", (chunk) => stdout.write(chunk));
  child.stderr.on("data", (chunk) => stderr.write(chunk));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      interrupt.removeEventListener("abort", end);
      done(code === 0 ? 0 : 1);
    });
  });
}
