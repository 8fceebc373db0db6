import { existsSync } from "node:fs";
import { messageOf } from "@scorel/kernel";
import { findProgram, isProgram, ownPath } from "@scorel/kit/process/programs";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding, ProgramRow } from "./contract.ts";
import { run } from "./process.ts";

/** The oldest supported version of Node. */
export const OLDEST_NODE = "20.19.0";
/** The first version of git that refuses repositories owned by other users. */
const OLDEST_GIT = "2.35.2";
const LIMIT_MS = 5_000;

/** Checks Node, git and ripgrep: paths, versions and whether they run. */
export async function checkPrograms(context: CheckContext): Promise<Part> {
  const seen = await Promise.all([node(context), git(context), ripgrep(context)]);
  return { programs: seen.map(({ row }) => row), findings: seen.flatMap(({ findings }) => findings) };
}

interface Seen {
  row: ProgramRow;
  findings: Finding[];
}

async function node({ env }: CheckContext): Promise<Seen> {
  const version = process.versions.node;
  const path = process.execPath;
  const other = env.PATH === undefined ? undefined : findProgram("node", env.PATH);
  const findings: Finding[] = [
    isOlder(version, OLDEST_NODE)
      ? finding("NODE_OLD", "error", `Node ${version} is too old.`, path, `Install Node ${OLDEST_NODE} or newer.`)
      : finding("NODE", "ok", `Node ${version}`, path),
  ];
  if (other === undefined)
    findings.push(
      finding(
        "NODE_NOT_IN_PATH",
        "note",
        "node is not in PATH, so the model's commands cannot use it.",
        path,
        "Add its folder to PATH.",
      ),
    );
  return { row: { name: "node", version, path }, findings };
}

async function git({ env, ...context }: CheckContext): Promise<Seen> {
  const path = findProgram("git", ownPath(env.PATH, context.cwd));
  if (path === undefined) {
    const what = "git is not installed, or not in PATH: changes are found by reading the whole folder.";
    return { row: { name: "git" }, findings: [finding("GIT_MISSING", "warning", what, "", "Install git.")] };
  }
  const { row, findings } = await versionOf("git", path, { env, ...context }, "Install git again.");
  if (row.version !== undefined && isOlder(row.version, OLDEST_GIT)) {
    const what = `git ${row.version} is old: only from ${OLDEST_GIT} on does it refuse repositories of other users.`;
    return { row, findings: [finding("GIT_OLD", "warning", what, path, `Install git ${OLDEST_GIT} or newer.`)] };
  }
  return { row, findings };
}

async function ripgrep(context: CheckContext): Promise<Seen> {
  const again = "Install Scorel again: it includes ripgrep, for Grep, Glob and `scorel search`.";
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return await versionOf("ripgrep", rgPath, context, again);
  } catch (thrown) {
    const what = `ripgrep is missing: ${messageOf(thrown).split("\n", 1)[0]}`;
    return { row: { name: "ripgrep" }, findings: [finding("RIPGREP_MISSING", "error", what, "", again)] };
  }
}

/** Runs `--version` with a minimal environment. */
async function versionOf(
  name: "git" | "ripgrep",
  path: string,
  { env, interrupt }: CheckContext,
  again: string,
): Promise<Seen> {
  const code = name.toUpperCase();
  const row: ProgramRow = { name, path };
  const flaw = unrunnable(path);
  const how = { cwd: "/", env: { PATH: env.PATH ?? "", LC_ALL: "C" }, limit: LIMIT_MS, signal: interrupt };
  const ran = flaw === undefined ? await run([path, "--version"], how) : undefined;
  const version = /\b(\d+\.\d+(?:\.\d+)?)/.exec(ran?.stdout ?? "")?.[1];
  if (version !== undefined && ran?.code === 0)
    return { row: { ...row, version }, findings: [finding(code, "ok", `${name} ${version}`, path)] };
  const why =
    flaw ??
    (ran?.late ? `it did not answer within ${LIMIT_MS / 1000} s` : (ran?.reason ?? `it ended with ${ran?.code}`));
  const severity = name === "git" ? "warning" : "error";
  return { row, findings: [finding(`${code}_BROKEN`, severity, `${name} does not run: ${why}.`, path, again)] };
}

function unrunnable(path: string): string | undefined {
  if (!existsSync(path)) return "there is no such file";
  return isProgram(path) ? undefined : "its file is not executable";
}

/** Compares two versions number by number. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(".").map(Number)) as [number[], number[]];
  for (let at = 0; at < b.length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function finding(code: string, severity: Finding["severity"], what: string, where: string, doNext = ""): Finding {
  return { code, severity, what, where, doNext };
}
