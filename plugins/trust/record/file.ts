import * as fs from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf, makePrivate } from "@scorel/kit/files/private-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";

/** What the user trusts in one project or preset. */
export interface TrustEntry {
  /** The hash of all files; absent when the path is trusted whatever its files are (`dev`). */
  hash?: string;
  /** Path -> sha256, to show which files have changed. */
  files?: Record<string, string>;
  /** Trusted by its path, whatever its files are. */
  dev?: boolean;
  /** When it was trusted, as ISO 8601. */
  since: string;
}

/** The content of trust.json. Fields that a newer version of Scorel added are kept. */
export interface TrustRecord {
  /** Real path of a project -> what is trusted in it. */
  projects: Record<string, TrustEntry>;
  /** Path of a file, relative to ~/.scorel/extensions -> its sha256 when it was last recorded as known. */
  extensions?: Record<string, string>;
  /** Real path of a preset outside of ~/.scorel, a file or a folder -> what is trusted in it. */
  presets?: Record<string, TrustEntry>;
  /** `<folder>/<id>` of an extension that guarded something when it was last loaded -> what it guarded. */
  guards?: Record<string, GuardEntry>;
}

/** An extension with critical layers, as it was when it was last loaded. */
export interface GuardEntry {
  id: string;
  /** The folder with the folder `extensions` that it is in: ~/.scorel, the `.scorel` of a project, or a preset. */
  folder: string;
  /** The path of its file. */
  path: string;
  /** The sha256 of its file. */
  hash: string;
  /** The hooks with its critical layers. */
  hooks: string[];
}

/** Milliseconds to wait for another process that is changing the file. */
const PATIENCE_MS = 5_000;
/** Milliseconds after which a lock counts as abandoned; no change of the file takes that long. */
const ABANDONED_MS = 60_000;

export const trustFile = () => join(userDir(), "trust.json");

/** Reads trust.json. Throws TRUST_FILE when it is damaged or other users could have written it; then nothing is trusted. */
export function readTrust(path = trustFile()): TrustRecord {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { projects: {} };
  const flaw = flawOf(stats);
  if (flaw) throw errors.TRUST_FILE({ path, reason: flaw });
  return parse(path, read(path));
}

/** Changes trust.json under a lock shared by all processes. Readers see either the old content or the new. */
export async function changeTrust(change: (record: TrustRecord) => void): Promise<void> {
  const path = trustFile();
  makePrivate(userDir());
  const { takeLock } = await import("@scorel/kit/files/lock");
  const lock = await takeLock(`${path}.lock`, PATIENCE_MS, { abandonedAfter: ABANDONED_MS }).catch(
    (thrown: unknown) => {
      throw errors.TRUST_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
    },
  );
  if (!lock) throw errors.TRUST_FILE({ path, reason: "another process is changing it" });
  try {
    const record = readTrust(path);
    change(record);
    replace(path, `${JSON.stringify({ version: 1, ...record }, null, 2)}\n`);
  } finally {
    lock.release();
  }
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    throw errors.TRUST_FILE({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function parse(path: string, text: string): TrustRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw errors.TRUST_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  if (!isRecord(value)) throw errors.TRUST_FILE({ path, reason: "it was not written by Scorel" });
  return value;
}

function isRecord(value: unknown): value is TrustRecord {
  if (!isTable(value) || !isTable(value.projects)) return false;
  const isKnown = value.extensions === undefined || isTexts(value.extensions);
  const { projects, presets = {}, guards = {} } = value;
  if (!isKnown || !isTable(presets) || !isTable(guards) || !Object.values(guards).every(isGuard)) return false;
  return [...Object.values(projects), ...Object.values(presets)].every(isEntry);
}

function isEntry(value: unknown): boolean {
  if (!isTable(value) || typeof value.since !== "string") return false;
  // The hash is used as the name of a folder, so nothing but hexadecimal digits is accepted.
  const isHash = value.hash === undefined || /^[\da-f]{64}$/.test(String(value.hash));
  const isDev = value.dev === undefined || typeof value.dev === "boolean";
  return isHash && isDev && (value.files === undefined || isTexts(value.files));
}

function isGuard(value: unknown): boolean {
  if (!isTable(value) || !Array.isArray(value.hooks)) return false;
  const { id, folder, path, hash, hooks } = value;
  return [id, folder, path, hash, ...hooks].every((text) => typeof text === "string");
}

function isTexts(value: unknown): boolean {
  return isTable(value) && Object.values(value).every((text) => typeof text === "string");
}

function replace(path: string, text: string): void {
  try {
    replaceFile(path, text, { durable: true });
  } catch (thrown) {
    throw errors.TRUST_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}
