import type { Invocation } from "@scorel/cli/contract";
import { everyPage } from "@scorel/host/client";
import { printAnswer } from "@scorel/host/command-line";
import type { Client } from "@scorel/host/contract";
import { visibleName } from "@scorel/kit/text/plain";
import type { Context } from "./context.ts";
import type { ListedWorktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { allWorktrees, checkoutAround, worktreeNamed } from "./repository.ts";
import { markUsed } from "./use.ts";

/** Milliseconds after which the user is told what takes so long. */
const LONG_MS = 1_000;

/** Implementations of the commands `scorel worktree <action>`. */
export const actions = { list, merge, remove } satisfies Record<
  string,
  (ctx: Context, invocation: Invocation) => Promise<number>
>;

/**
 * Returns the folder for `--worktree [name]`. Creates the worktree if it does not exist, and prints what the session works with. Throws
 * WORKTREE_SESSION, WORKTREE_CONTINUE, WORKTREE_NAME.
 */
export async function enterWorktree(ctx: Context, given: unknown, invocation: Invocation): Promise<string> {
  const { options, cwd, stderr } = invocation;
  const other = ["session", "fork", "resume"].find((option) => options[option] !== undefined);
  if (other !== undefined) throw errors.WORKTREE_SESSION({ option: `--${other}` });
  const name = typeof given === "string" && given !== "" ? { name: given } : {};
  if (options.continue === true) await assertKnown(cwd, name.name);
  const client = hostOf(ctx).connect();
  const long = setTimeout(() => stderr.write("Making the worktree: git checks out all files…\n"), LONG_MS);
  try {
    const { worktree } = await client.request("create_worktree", { cwd, ...name });
    const { created, leftOut, branch } = worktree;
    ctx.onDispose(markUsed(worktree));
    const how = created ? "New worktree" : "Worktree";
    stderr.write(`${how} ${worktree.name} (branch ${branch}): ${visibleName(worktree.cwd)}\n`);
    if (leftOut > 0)
      stderr.write(`It does not have the changes of ${leftOut} ${filesText(leftOut)} that are not committed.\n`);
    return worktree.cwd;
  } finally {
    clearTimeout(long);
    await client.close();
  }
}

/** Throws WORKTREE_CONTINUE if the worktree does not exist, so that there is no session to continue, and WORKTREE_NAME. */
async function assertKnown(cwd: string, name: string | undefined): Promise<void> {
  const checkout = checkoutAround(cwd);
  const known = (await allWorktrees(checkout)).map((each) => each.name);
  if (name === undefined || !known.includes(worktreeNamed(checkout, name).name))
    throw errors.WORKTREE_CONTINUE({ known });
}

function list(ctx: Context, invocation: Invocation): Promise<number> {
  const { cwd, options, stderr } = invocation;
  return answered(ctx, invocation, async (request) => {
    const { worktrees } = await everyPage((page) => request("list_worktrees", { cwd, ...page }));
    if (options.output === "json") return `${JSON.stringify({ worktrees }, null, 2)}\n`;
    if (worktrees.length === 0) stderr.write("There are no worktrees here. To work in one: scorel --worktree NAME\n");
    return worktrees.map(rowOf).join("");
  });
}

function merge(ctx: Context, invocation: Invocation): Promise<number> {
  const { cwd, args, options } = invocation;
  const [name = ""] = args;
  const [commit, keep] = [options.commit === true, options.keep === true];
  return answered(ctx, invocation, async (request) => {
    const { text } = await request("merge_worktree", { cwd, name, commit, keep });
    return `${text}\n`;
  });
}

function remove(ctx: Context, invocation: Invocation): Promise<number> {
  const { cwd, args, options } = invocation;
  const [name = ""] = args;
  return answered(ctx, invocation, async (request) => {
    const [commit, discard] = [options.commit === true, options.discard === true];
    const { text } = await request("remove_worktree", { cwd, name, commit, discard });
    return `${text}\n`;
  });
}

function answered(
  ctx: Context,
  invocation: Invocation,
  work: (request: Client["request"]) => Promise<string>,
): Promise<number> {
  return printAnswer(hostOf(ctx), invocation, ({ request }) => work(request));
}

function hostOf({ find }: Context) {
  const host = find("host");
  if (!host) throw errors.WORKTREE_NO_HOST();
  return host;
}

function rowOf({ name, branch, path, commits, changes, isBranchOnly, problem }: ListedWorktree): string {
  const state = [
    `${commits} ${commits === 1 ? "commit" : "commits"}`,
    ...(isBranchOnly ? ["only a branch"] : []),
    ...(changes > 0 ? [`${changes} ${filesText(changes)} not committed`] : []),
    ...(problem === undefined ? [] : [problem]),
  ];
  return `${name}  ${branch}  ${state.join(", ")}${isBranchOnly ? "" : `  ${visibleName(path)}`}\n`;
}

const filesText = (count: number) => (count === 1 ? "file" : "files");
