import { messageOf } from "@scorel/kernel";
import { runGit } from "@scorel/kit/process/run-git";
import { errors } from "../errors.ts";

/** Milliseconds until a git that hangs is killed; far more than the largest repository takes. */
const LIMIT_MS = 60_000;

/**
 * Settings besides those of every git that Scorel starts. The commands used here read only names, times and objects, so they
 * run no filters; `diff-files` gets an index that needs none (git-index.ts). Inode times are always compared, whatever the
 * repository's settings are.
 */
const SETTINGS = ["core.trustctime=true", "core.checkStat=default", "submodule.recurse=false"];

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
export async function git(root: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, index, onComplaint, codes = [], signal } = options;
  const {
    code,
    signal: ended,
    output,
    said,
  } = await runGit(root, args, {
    settings: SETTINGS,
    ...(input !== undefined && { input }),
    ...(index !== undefined && { env: { GIT_INDEX_FILE: index } }),
    signal,
    limitMs: LIMIT_MS,
  }).catch((thrown: unknown) => {
    throw errors.CHECKPOINT_GIT({ reason: messageOf(thrown) }, { cause: thrown });
  });
  if (code !== 0 && !codes.includes(code ?? -1))
    throw errors.CHECKPOINT_GIT({ reason: said.split("\n", 1)[0]?.slice(0, 500) || `exit ${code ?? ended}` });
  if (said !== "") onComplaint?.();
  return output;
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
