import { messageOf } from "@scorel/kernel";
import { type GitResult, runGit } from "@scorel/kit/process/run-git";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";
import { asVariables, type Setting, safeDrivers } from "./filters.ts";

/** Long enough to check out a large repository from a slow disk. */
const LIMIT_MS = 15 * 60_000;
/** Most lines of git's message in an error. */
const LINES = 3;

/** No signatures, since their programs could wait for a person. No submodules, since they have settings of their own. */
const SETTINGS = [
  ...["submodule.recurse=false", "commit.gpgSign=false", "merge.verifySignatures=false", "log.showSignature=false"],
  ...["rerere.enabled=false", "gc.auto=0", "maintenance.auto=false", "core.quotePath=true"],
  // A worktree is moved after it is created, which would break relative paths.
  "worktree.useRelativePaths=false",
];

/** Leaves large files of git-lfs as pointers, since getting them may need the network. */
const ENV = { GIT_LFS_SKIP_SMUDGE: "1" };

/** The prefix of a branch's full name, as in `refs/heads/main`. */
const HEADS = /^refs\/heads\//;

/** Runs git in the checkouts of one repository. Programs named in the repository's settings are not run. */
export class Git {
  /** Settings that replace these programs, by folder, since each worktree may have settings of its own. */
  private readonly drivers = new Map<string, Promise<Setting[]>>();

  /** Runs git, and returns its result, whatever the exit code is. */
  async run(
    root: string,
    args: readonly string[],
    { input, settings = [] }: { input?: string; settings?: readonly string[] } = {},
  ): Promise<GitResult> {
    if (!this.drivers.has(root)) this.drivers.set(root, safeDrivers(root));
    const all = [...SETTINGS, ...settings];
    try {
      // Uses the replacements for all known folders: `git worktree remove` also reads the settings of the worktree.
      const drivers = (await Promise.all(this.drivers.values())).flat();
      const env = { ...ENV, ...asVariables(drivers) };
      return await runGit(root, args, { settings: all, env, ...(input !== undefined && { input }), limitMs: LIMIT_MS });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
      throw errors.WORKTREE_GIT({ what: "be started", reason: messageOf(thrown) }, { cause: thrown });
    }
  }

  /** Runs git, and returns its output. Throws WORKTREE_GIT, which says that Scorel could not `what`. */
  async text(root: string, what: string, args: readonly string[]): Promise<string> {
    const result = await this.run(root, args);
    if (result.code !== 0) throw errors.WORKTREE_GIT({ what, reason: reasonOf(result) });
    return result.output.toString();
  }

  /** The id of a commit; undefined if there is none of that name. */
  async commit(root: string, name = "HEAD"): Promise<string | undefined> {
    const { code, output } = await this.run(root, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
    return code === 0 ? output.toString().trim() : undefined;
  }

  /**
   * The contents of files in a commit, in the order of `names`. Undefined for names that are not files there, and for names with line
   * breaks.
   */
  async contents(root: string, commit: string, names: readonly string[]): Promise<(Buffer | undefined)[]> {
    const asked = names.filter((name) => !name.includes("\n"));
    if (asked.length === 0) return names.map(() => undefined);
    const input = asked.map((name) => `${commit}:${name}\n`).join("");
    const { output } = await this.run(root, ["cat-file", "--batch"], { input });
    const found = new Map<string, Buffer>();
    let at = 0;
    for (const name of asked) {
      const end = output.indexOf("\n", at);
      if (end < 0) break;
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(output.toString("utf8", at, end))?.[1];
      at = end + 1;
      if (size === undefined) continue;
      found.set(name, output.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return names.map((name) => found.get(name));
  }

  /** The branch that is checked out; undefined if there is none. */
  async branch(root: string): Promise<string | undefined> {
    // Git's own short form is a longer one if there is a tag of that name.
    const { code, output } = await this.run(root, ["symbolic-ref", "--quiet", "HEAD"]);
    return code === 0 ? output.toString().trim().replace(HEADS, "") : undefined;
  }

  /** Number of commits in `from` that are in none of the others. */
  async count(root: string, from: string, without: readonly string[]): Promise<number> {
    const args = ["rev-list", "--count", from, "--not", ...without, "--"];
    return Number(await this.text(root, "count commits", args));
  }
}

/** The first lines of git's error message, without control characters, since it may contain names of files. */
export function reasonOf({ code, signal, said }: GitResult): string {
  const lines = plainText(said).split("\n", LINES).join("\n").trim();
  return continued(lines === "" ? `it ended with ${code ?? signal}` : lines.replace(/^(?:fatal|error): /, ""));
}
