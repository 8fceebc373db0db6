import { messageOf } from "@scorel/kernel";
import { type GitResult, runGit } from "@scorel/kit/process/run-git";
import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "./errors.ts";
import { asVariables, type Setting, safeDrivers } from "./filters.ts";

/** Checking out a large repository from a slow disk takes minutes. */
const LIMIT_MS = 15 * 60_000;
/** Lines of git's message that an error repeats. */
const LINES = 3;

/** No signatures, since their programs could wait for a person; and nothing in submodules, which have settings of their own. */
const SETTINGS = [
  ...["submodule.recurse=false", "commit.gpgSign=false", "merge.verifySignatures=false", "log.showSignature=false"],
  ...["rerere.enabled=false", "gc.auto=0", "maintenance.auto=false", "core.quotePath=true"],
  // A worktree is moved after it is made, which breaks relative paths.
  "worktree.useRelativePaths=false",
];

/** Large files of git-lfs stay as their pointers: getting them could need the network. */
const ENV = { GIT_LFS_SKIP_SMUDGE: "1" };

/** Runs git in the checkouts of one repository. No program runs that the settings which git finds there name. */
export class Git {
  /** What replaces such programs, by folder: each worktree may have settings of its own. */
  private readonly drivers = new Map<string, Promise<Setting[]>>();

  /** Runs git, and returns how it ended, whatever its exit code is. */
  async run(
    root: string,
    args: readonly string[],
    { input, settings = [] }: { input?: string; settings?: readonly string[] } = {},
  ): Promise<GitResult> {
    if (!this.drivers.has(root)) this.drivers.set(root, safeDrivers(root));
    const all = [...SETTINGS, ...settings];
    try {
      // All that are known: `git worktree remove` also looks into a worktree whose settings may name further ones.
      const drivers = (await Promise.all(this.drivers.values())).flat();
      const env = { ...ENV, ...asVariables(drivers) };
      return await runGit(root, args, { settings: all, env, ...(input !== undefined && { input }), limitMs: LIMIT_MS });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).syscall === undefined) throw thrown;
      throw errors.WORKTREE_GIT({ what: "be started", reason: messageOf(thrown) }, { cause: thrown });
    }
  }

  /** Runs git and returns its output. Throws WORKTREE_GIT with `what` it could not do. */
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

  /** The bytes of files of a commit, in the order of their names; undefined for what is no file there, or has a name of several lines. */
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

  /** The branch that is checked out; undefined if none is. */
  async branch(root: string): Promise<string | undefined> {
    const { code, output } = await this.run(root, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
    return code === 0 ? output.toString().trim() : undefined;
  }

  /** How many commits `from` has that none of the others has. */
  async count(root: string, from: string, without: readonly string[]): Promise<number> {
    const args = ["rev-list", "--count", from, "--not", ...without, "--"];
    return Number(await this.text(root, "count commits", args));
  }
}

/** The beginning of what git says, with control characters removed: it repeats names of files. */
export function reasonOf({ code, signal, said }: GitResult): string {
  const lines = plainText(said).split("\n", LINES).join("\n").trim();
  return continued(lines === "" ? `it ended with ${code ?? signal}` : lines.replace(/^(?:fatal|error): /, ""));
}
