import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import type { LockEntry } from "@scorel/packages/contract";
import { canonical, userDir } from "./paths.ts";
import { presetsDir, stagingDir } from "./preset-lock.ts";
import { makePrivate } from "./private-folder.ts";

/** Longer than anyone takes to install something; older folders were left by a process that cannot be asked after. */
const STALE_MS = 24 * 3600 * 1000;

/** What is to become of a name: the folder `package` beside the plan is installed, or without an entry removed. */
export interface Plan {
  name: string;
  entry?: LockEntry;
}

/** A new folder of this process. */
export function makeStaging(): string {
  makePrivate(userDir(), presetsDir(), stagingDir());
  const folder = join(canonical(stagingDir()), newId());
  fs.mkdirSync(folder, { mode: 0o700 });
  fs.writeFileSync(join(folder, "owner.json"), JSON.stringify({ pid: process.pid, host: hostname() }), { mode: 0o600 });
  return folder;
}

/** From here on the plan is carried out, if need be by another process. */
export function writePlan(folder: string, plan: Plan): void {
  const temporary = join(folder, "plan.json.tmp");
  fs.writeFileSync(temporary, JSON.stringify(plan), { mode: 0o600, flush: true });
  fs.renameSync(temporary, join(folder, "plan.json"));
}

/** What was to be carried out and was not, because a process was ended in the middle of it. */
export function readyPlans(): { folder: string; plan: Plan }[] {
  return folders().flatMap((folder) => {
    const text = textAt(join(folder, "plan.json"));
    return text === undefined ? [] : [{ folder, plan: JSON.parse(text) as Plan }];
  });
}

/** Removes what processes have left that did not get as far as a plan. */
export function clearStaging(): void {
  for (const folder of folders())
    if (textAt(join(folder, "plan.json")) === undefined && isLeft(folder))
      fs.rmSync(folder, { recursive: true, force: true });
}

function folders(): string[] {
  const dir = stagingDir();
  if (!fs.existsSync(dir)) return [];
  return fs.readdirSync(dir).map((name) => join(dir, name));
}

function isLeft(folder: string): boolean {
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (Date.now() - stats.mtimeMs > STALE_MS || isOwnerGone(folder));
}

function isOwnerGone(folder: string): boolean {
  const text = textAt(join(folder, "owner.json"));
  if (text === undefined) return false;
  try {
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    if (host !== hostname()) return false;
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

function textAt(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}
