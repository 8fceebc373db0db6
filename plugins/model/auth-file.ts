import * as fs from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf, newId } from "@scorel/kernel";
import { z } from "zod";
import { errors } from "./errors.ts";

/** Keys by provider, as `scorel login` stored them. */
export type StoredKeys = Readonly<Record<string, string>>;

const authFile = z.object({ keys: z.record(z.string(), z.string()) });

/** Longer than anyone holds it; a lock that is older was left by a process that ended. */
const STALE_MS = 10_000;
const WAIT_MS = 20;

export function authPath(): string {
  return join(homedir(), ".scorel", "auth.json");
}

/** The stored keys; none without the file. Throws MODEL_AUTH_FILE when it cannot be read or is something else. */
export function readKeys(path = authPath()): StoredKeys {
  const text = readIfPresent(path);
  if (text === undefined) return {};
  const { success, data } = authFile.safeParse(parsed(text, path));
  if (!success) throw errors.MODEL_AUTH_FILE({ path, reason: "it does not hold keys by provider" });
  return data.keys;
}

function readIfPresent(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw errors.MODEL_AUTH_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** A parser's message would quote the text, and with it a key. */
function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.MODEL_AUTH_FILE({ path, reason: "it is not JSON" });
  }
}

/** Stores a key, or with undefined removes it; only this user may read the file. Answers whether there was one. */
export async function storeKey(provider: string, key: string | undefined, path = authPath()): Promise<boolean> {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const release = await lock(`${path}.lock`);
  try {
    const { [provider]: before, ...others } = readKeys(path);
    if (key !== undefined || before !== undefined)
      replace(path, key === undefined ? others : { ...others, [provider]: key });
    return before !== undefined;
  } finally {
    release();
  }
}

function replace(path: string, keys: StoredKeys): void {
  const temporary = `${path}.${newId()}.tmp`;
  try {
    fs.writeFileSync(temporary, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true,
    });
    fs.renameSync(temporary, path);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Waits for whoever changes the file now; throws MODEL_AUTH_FILE when that takes too long. */
async function lock(path: string): Promise<() => void> {
  for (let waited = 0; ; waited += WAIT_MS) {
    if (taken(path)) return () => fs.rmSync(path, { force: true });
    if (isStale(path)) fs.rmSync(path, { force: true });
    else if (waited >= STALE_MS) throw errors.MODEL_AUTH_FILE({ path, reason: "another process holds it" });
    else await sleep(WAIT_MS);
  }
}

function taken(path: string): boolean {
  try {
    fs.closeSync(fs.openSync(path, "wx", 0o600));
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw errors.MODEL_AUTH_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

function isStale(path: string): boolean {
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > STALE_MS;
}
