import { existsSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { tryLock } from "@scorel/kit/files/lock";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { visibleName } from "@scorel/kit/text/plain";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { newId } from "@scorel/kit/values/id";
import { forget } from "./admin.ts";
import type { Worktree } from "./contract.ts";
import { errors } from "./errors.ts";
import { putBack } from "./in-the-way.ts";
import type { Checkout } from "./repository.ts";

/**
 * Kinds of temporary folders beside the worktrees: `making` holds a worktree that is not complete, `gone` is one that is being deleted,
 * `aside` holds untracked files of the checkout while a worktree's branch is merged.
 */
type Passing = "making" | "gone" | "aside";

const PASSING = /^\.(making|gone|aside)-([A-Za-z\d][\w.-]*)~[\w-]+$/;

/** Path of the lock file that a command holds while it creates, merges or removes a worktree. */
export const lockOf = ({ path }: Pick<Worktree, "path">) => join(dirname(path), `.lock-${basename(path)}`);

/** Path of a new temporary folder, on the same file system as the worktree. */
export const passingFolder = ({ name, path }: Pick<Worktree, "name" | "path">, kind: Passing) =>
  join(dirname(path), `.${kind}-${name}~${newId()}`);

/**
 * The path at which a worktree is made in its temporary folder. Git names its own folder of the worktree after the last part of this path. That part is
 * unique, since a git process may outlive its killed parent and would otherwise write into the folder of the next worktree with the same name.
 */
export const placeIn = (making: string) =>
  join(
    making,
    basename(making)
      .replace(/^\.making-/, "")
      .replace("~", "-"),
  );

/** Creates the folder of worktrees, makes git ignore it, and clears temporary folders that were left there. Throws WORKTREE_FOLDER. */
export async function prepareFolder({ git, root, folder }: Checkout, { path }: Worktree): Promise<void> {
  const refused = (reason: string, cause?: unknown) =>
    errors.WORKTREE_FOLDER({ path: visibleName(folder), reason }, { cause });
  try {
    makeFolder(folder, 0o777);
    // A link could lead out of the project, where nothing may be changed.
    if (!lstatSync(folder).isDirectory()) throw refused("it is a link");
    if (!existsSync(join(folder, ".gitignore"))) writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (thrown) {
    if (codeOf(thrown) === "WORKTREE_FOLDER") throw thrown;
    // Another command may have created the folder at the same time.
    if (codeOf(thrown) !== "EEXIST" || !lstatSync(folder).isDirectory()) throw refused(reasonOf(thrown), thrown);
  }
  const ignored = await git.run(root, ["check-ignore", "--quiet", "--", path]);
  if (ignored.code !== 0) throw refused("the project's own .gitignore there shows what is in it");
  for (const entry of readdirSync(folder)) await clearLeft({ git, root, folder }, entry);
}

/** Clears a folder that was left by a command that was killed while it created, merged or removed a worktree. */
async function clearLeft(
  { git, root, folder }: Pick<Checkout, "git" | "root" | "folder">,
  entry: string,
): Promise<void> {
  const [, kind, name] = (PASSING.exec(entry) ?? []) as [string?, Passing?, string?];
  if (kind === undefined || name === undefined) return;
  // Skipped if the repository itself has files in a folder of this name.
  if ((await git.text(root, "list its files", ["ls-files", "--", join(folder, entry)])) !== "") return;
  const worktree = { name, path: join(folder, name) };
  try {
    const lock = tryLock(lockOf(worktree));
    if (!lock || !("release" in lock)) return;
    const left = join(folder, entry);
    const clear = () => (kind === "aside" ? putBack(root, left) : deletePassing(left, kind, worktree));
    await clear().finally(() => lock.release());
  } catch {
    // Git may still be writing there. The folder does no harm, and the next command tries again.
  }
}

/** Deletes a temporary folder, and git's administrative folder of the worktree in it. */
export async function deletePassing(
  folder: string,
  kind: Exclude<Passing, "aside">,
  worktree: Pick<Worktree, "name" | "path">,
): Promise<void> {
  const place = kind === "making" ? placeIn(folder) : folder;
  await forget(place, [place, worktree.path]);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
