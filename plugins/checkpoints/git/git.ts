import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { messageOf } from "@scorel/kernel";
import { SAFE_GIT, SAFE_GIT_ENV } from "@scorel/kit/process/safe-git";
import { errors } from "../errors.ts";

/** A limit far above what the largest repository takes, for a git that hangs. */
const LIMIT_MS = 60_000;

/**
 * Settings besides those of every git that Scorel starts. The commands used here read only names, times and objects, so they
 * run no filters; `diff-files` gets an index that needs none (git-index.ts). Inode times are always compared, whatever the
 * repository's settings are.
 */
const SETTINGS = ["core.trustctime=true", "core.checkStat=default", "submodule.recurse=false"].flatMap((setting) => [
  "-c",
  setting,
]);

export interface GitOptions {
  input?: string;
  /** The index to read instead of the repository's own. */
  index?: string;
  /** Called when git succeeds with a warning: its output may be incomplete. */
  onComplaint?: () => void;
  /** Exit codes besides 0 that are not errors. */
  codes?: readonly number[];
  /** Kills git when aborted. */
  signal?: AbortSignal;
}

/** Runs git in a folder and returns its output. Throws CHECKPOINT_GIT. */
export function git(root: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, index, onComplaint, codes = [], signal } = options;
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown) => reject(errors.CHECKPOINT_GIT({ reason }, { cause }));
    const child = spawn("git", [...SAFE_GIT, "--no-replace-objects", ...SETTINGS, "-C", root, ...args], {
      env: environment(root, index),
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
      ...(signal && { signal }),
    });
    const out: Buffer[] = [];
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, 500);
    });
    child.on("error", (thrown) => fail(messageOf(thrown), thrown));
    child.on("close", (code, signal) => {
      if (code !== 0 && !codes.includes(code ?? -1)) return fail(said.split("\n", 1)[0] || `exit ${code ?? signal}`);
      if (said !== "") onComplaint?.();
      resolve(Buffer.concat(out));
    });
    // If git ends without reading its input, the pipe closes; the exit code gives the reason.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** The home folder in which git looks for the user's configuration. */
export function homeOfGit(): string {
  return process.env.HOME ?? "";
}

/** A minimal environment, without this process's `GIT_` variables, which could name another repository or programs. */
function environment(root: string, index: string | undefined): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: homeOfGit(),
    ...SAFE_GIT_ENV,
    // A repository above the project must not be used, even if the project's own is damaged.
    GIT_CEILING_DIRECTORIES: dirname(root),
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
  };
}

/** The contents of objects by id; missing ones are left out. */
export async function readObjects(root: string, oids: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (oids.length === 0) return found;
  const out = await git(root, ["cat-file", "--batch"], { input: `${oids.join("\n")}\n` });
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(10, at);
    const [oid = "", kind = "", size = ""] = out.toString("latin1", at, end).split(" ");
    at = end + 1;
    if (kind === "missing" || size === "") continue;
    if (kind === "blob") found.set(oid, out.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

/** The paths whose files differ from git's objects by more than line endings, because of filters or encodings. */
export async function filtered(root: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const out = await git(root, ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding"], {
    input: paths.join("\0"),
  });
  const fields = out.toString().split("\0");
  const found = new Set<string>();
  for (let i = 0; i + 2 < fields.length; i += 3)
    if (!["unspecified", "unset"].includes(fields[i + 2] as string)) found.add(fields[i] as string);
  return found;
}
