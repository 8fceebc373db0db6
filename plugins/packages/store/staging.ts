import * as fs from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { codeOf, newId } from "@scorel/kernel";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { LockEntry } from "../contract.ts";
import { stagingDir } from "./lock.ts";

/** Longer than anyone takes to install something; older folders were left by a process that cannot be asked after. */
const STALE_MS = 24 * 3600 * 1000;

/** What is to become of a name: the folder `package` beside the plan is installed, or without an entry removed. */
export interface Plan {
  name: string;
  entry?: LockEntry;
}

/** A new folder, whose name says which process it belongs to. */
export function makeStaging(): string {
  makePrivate(userDir(), presetsDir(), stagingDir());
  const folder = join(canonical(stagingDir()), `${process.pid}-${machine()}-${newId()}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** From here on the plan is carried out, if need be by another process. */
export function writePlan(folder: string, plan: Plan): void {
  replaceFile(join(folder, "plan.json"), JSON.stringify(plan), { durable: true });
}

/** What was to be carried out and was not, because a process was ended in the middle of it. */
export function readyPlans(): { folder: string; plan: Plan }[] {
  return folders().flatMap((folder) => {
    const text = textAt(join(folder, "plan.json"));
    return text === undefined ? [] : [{ folder, plan: JSON.parse(text) as Plan }];
  });
}

/** Removes the folders of processes that ended before they got as far as a plan. */
export function clearStaging(): void {
  for (const folder of folders())
    if (textAt(join(folder, "plan.json")) === undefined && isLeft(folder))
      fs.rmSync(folder, { recursive: true, force: true });
}

/** Removes half-written lock files. Whoever calls this holds the lock. */
export function clearTemporaries(): void {
  for (const name of fs.readdirSync(presetsDir()).filter((each) => /^presets\.lock\.json\..*\.tmp$/.test(each))) {
    const path = join(presetsDir(), name);
    // Those of the lock may be somebody's who is waiting for it.
    const isOld = Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_MS;
    if (isOld || !name.startsWith("presets.lock.json.lock.")) fs.rmSync(path, { force: true });
  }
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

/** Whether it belongs to a process of this machine that has ended. */
function isOwnerGone(folder: string): boolean {
  const [pid, where] = basename(folder).split("-");
  if (where !== machine() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

const machine = () => crc32(hostname()).toString(16);

function textAt(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}
