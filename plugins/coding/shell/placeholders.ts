import * as fs from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { readIfPresent, removeIfPresent, replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { isRunning, ownIdentity, type ProcessIdentity } from "@scorel/kit/process/identity";
import { errors } from "../errors.ts";

const PATIENCE_MS = 10_000;

/** Something to mount where a control file is missing: an empty folder, or a file with this text. */
export interface Placeholder {
  path: string;
  content: "folder" | { text: string };
}

/** The placeholders in a project, and the processes whose running commands need them. */
interface State {
  users: ProcessIdentity[];
  placeholders: Placeholder[];
}

/** How many running commands of this process use the placeholders of each project. */
const uses = new Map<string, number>();

/**
 * Creates the placeholders whose paths do not exist. They stay until `releasePlaceholders` is called for the last command of all processes:
 * if one were removed while a command runs, the system would remove the mount over it, too. Throws BASH_PLACEHOLDERS.
 */
export async function usePlaceholders(root: string, wanted: readonly Placeholder[]): Promise<void> {
  await changing(root, (state) => {
    // Without users, the placeholders are those of processes that were killed.
    if (state.users.length === 0) for (const placeholder of state.placeholders.splice(0).reverse()) remove(placeholder);
    const missing = wanted.filter(({ path }) => !exists(path));
    const others = state.placeholders.filter(({ path }) => missing.every((each) => each.path !== path));
    // Recorded first: a placeholder without a record would never be removed.
    write(root, { users: withOwn(state.users), placeholders: [...others, ...missing] });
    missing.forEach(create);
    uses.set(root, (uses.get(root) ?? 0) + 1);
  });
}

/** Ends one use. The last use of all processes removes the placeholders, also those of processes that were killed. Throws BASH_PLACEHOLDERS. */
export async function releasePlaceholders(root: string): Promise<void> {
  const left = (uses.get(root) ?? 1) - 1;
  if (left > 0) return void uses.set(root, left);
  uses.delete(root);
  await changing(root, (state) => {
    // Another command of this process may have begun meanwhile.
    if (uses.has(root)) return;
    const users = state.users.filter((user) => !isOwn(user));
    if (users.length > 0) return write(root, { ...state, users });
    for (const placeholder of state.placeholders.toReversed()) remove(placeholder);
    removeIfPresent(fileOf(root));
  });
}

/** Runs `work` with the state of a project, while no other process can change it. Users that have ended are left out. */
async function changing<T>(root: string, work: (state: State) => T): Promise<T> {
  try {
    makePrivate(userDir(), join(userDir(), "cache"), folder());
    const lock = await takeLock(`${fileOf(root)}.lock`, PATIENCE_MS);
    if (!lock) throw new Error("another process is changing them");
    try {
      const { users, placeholders } = read(root);
      return work({ users: users.filter(isRunning), placeholders });
    } finally {
      lock.release();
    }
  } catch (thrown) {
    throw errors.BASH_PLACEHOLDERS({ root, reason: messageOf(thrown) }, { cause: thrown });
  }
}

const folder = () => join(userDir(), "cache", "placeholders");
const fileOf = (root: string) => join(folder(), `${sha256Of(root).slice(0, 32)}.json`);

function read(root: string): State {
  const none: State = { users: [], placeholders: [] };
  try {
    return { ...none, ...(JSON.parse(readIfPresent(fileOf(root)) ?? "{}") as Partial<State>) };
  } catch {
    // A power cut can leave a damaged file. Its processes have ended then.
    return none;
  }
}

function write(root: string, state: State): void {
  replaceFile(fileOf(root), JSON.stringify(state));
}

function isOwn({ pid, start }: ProcessIdentity): boolean {
  const own = ownIdentity();
  return pid === own.pid && start === own.start;
}

function withOwn(users: readonly ProcessIdentity[]): ProcessIdentity[] {
  return [...users.filter((user) => !isOwn(user)), ownIdentity()];
}

function create({ path, content }: Placeholder): void {
  if (content === "folder") fs.mkdirSync(path);
  else fs.writeFileSync(path, content.text, { flag: "wx" });
}

/** Removes a placeholder, unless somebody has put something else in its place. */
function remove({ path, content }: Placeholder): void {
  try {
    if (content === "folder") fs.rmdirSync(path);
    else if (fs.readFileSync(path, "utf8") === content.text) fs.unlinkSync(path);
  } catch {
    // It is gone, or has become a folder with files or a file of the user.
  }
}

const exists = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
