import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf, makePrivate } from "@scorel/kit/files/private-folder";
import { isTable } from "@scorel/kit/values";
import { errors } from "../errors.ts";

/** What the user trusts of one project. */
export interface TrustEntry {
  /** Of the whole tree; absent when its author trusts whatever lies there. */
  hash?: string;
  /** Path -> sha256, to tell what has changed. */
  files?: Record<string, string>;
  /** Trusted by its path, whatever it becomes. */
  dev?: boolean;
  /** When, as ISO 8601. */
  since: string;
}

/** trust.json. What a newer version has added is kept as it is. */
export interface TrustRecord {
  /** Real path of the project -> what is trusted of it. */
  projects: Record<string, TrustEntry>;
  /** Path of a file below ~/.scorel/extensions -> sha256 of it as it is known. */
  extensions?: Record<string, string>;
  /** Real path of a preset outside of ~/.scorel, a file or a folder -> what is trusted of it. */
  presets?: Record<string, TrustEntry>;
}

const PATIENCE_MS = 5_000;
/** Longer than anyone changes the file. */
const ABANDONED_MS = 60_000;

export const trustFile = () => join(userDir(), "trust.json");

/** What is trusted so far. Throws TRUST_FILE when the file is damaged or others could have written it: then nothing is. */
export function readTrust(path = trustFile()): TrustRecord {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { projects: {} };
  const flaw = flawOf(stats);
  if (flaw) throw errors.TRUST_FILE({ path, reason: flaw });
  return parse(path, read(path));
}

/** Changes trust.json as one step among all processes; readers see the old one or the new one. */
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
    throw errors.TRUST_FILE({ path, reason: codeOf(thrown) }, { cause: thrown });
  }
}

function parse(path: string, text: string): TrustRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw errors.TRUST_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  if (!isRecord(value)) throw errors.TRUST_FILE({ path, reason: "it is not what Scorel has written" });
  return value;
}

function isRecord(value: unknown): value is TrustRecord {
  if (!isTable(value) || !isTable(value.projects)) return false;
  const isKnown = value.extensions === undefined || isTexts(value.extensions);
  const { projects, presets = {} } = value;
  if (!isKnown || !isTable(presets)) return false;
  return [...Object.values(projects), ...Object.values(presets)].every(isEntry);
}

function isEntry(value: unknown): boolean {
  if (!isTable(value) || typeof value.since !== "string") return false;
  // It names a folder, so nothing else may pass for one.
  const isHash = value.hash === undefined || /^[\da-f]{64}$/.test(String(value.hash));
  const isDev = value.dev === undefined || typeof value.dev === "boolean";
  return isHash && isDev && (value.files === undefined || isTexts(value.files));
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
