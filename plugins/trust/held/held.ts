import * as fs from "node:fs";
import { join, relative, sep } from "node:path";
import type { ExtensionFile, FoundExtensions } from "@scorel/extensions/contract";
import { sha256Of } from "@scorel/kit/files/hash";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { HeldExtension } from "../contract.ts";
import { errors } from "../errors.ts";
import { changeTrust, readTrust } from "../record/file.ts";
import { createSessionFinder } from "./tool-times.ts";

const DEEPEST = 12;
/** Names of text and settings files, from which no code is loaded. */
const isWords = /\.(md|toml)$/i;

/** A file below ~/.scorel/extensions, or in a preset's folder that the user has put into ~/.scorel/presets. */
interface OwnFile {
  sha256: string;
  /** When its content, name or mode last changed, in milliseconds; programs cannot set it. */
  changed: number;
}

/**
 * Takes out of what was found the user's extensions, also those of their presets, that appeared or changed while tools of
 * a session ran; they wait for a yes at a terminal. All others are known from now on. Throws TRUST_FILE.
 */
export async function withoutHeld(
  found: FoundExtensions,
  packages: readonly PresetPackage[],
): Promise<FoundExtensions> {
  const own = found.extensions.filter(isOwn);
  if (own.length === 0) return found;
  const held = await heldNow(own, packages);
  if (held.length === 0) return found;
  const isHeld = (path: string) => held.some((each) => each.path === path);
  const problems = held.map(({ id, path, sessionId }) => {
    const { code, message } = errors.EXTENSION_HELD({ id, path, sessionId });
    return { origin: path, code, message };
  });
  return {
    ...found,
    extensions: found.extensions.filter(({ path }) => !isHeld(path)),
    idle: [...found.idle, ...held.map(({ id }) => ({ id, why: "held back until you confirm it" }))],
    problems: [...found.problems, ...problems],
  };
}

/** Whether nothing but the user's own care stands for it: neither a project's trust nor a lock file. */
export function isOwn({ of, file }: ExtensionFile): boolean {
  return of === "user" || (of === "preset" && isWithin(canonical(presetsDir()), canonical(file)));
}

/** Knows these extensions as they were seen; one that has changed since is asked about again. */
export async function confirmHeld(held: readonly HeldExtension[]): Promise<void> {
  await changeTrust((record) => {
    record.extensions = Object.assign({}, record.extensions, ...held.map(({ files }) => files));
  });
}

/**
 * Those of the user's extensions that wait for a yes; `packages` are the presets that the user has put into ~/.scorel/presets.
 * Remembers what needs no question; most starts find that all is known and write nothing.
 */
export async function heldNow(
  own: readonly ExtensionFile[],
  packages: readonly PresetPackage[],
): Promise<HeldExtension[]> {
  const { extensions: known = {} } = readTrust();
  const files = ownFiles(packages);
  const strange = [...files].filter(([path, { sha256 }]) => !Object.hasOwn(known, path) || known[path] !== sha256);
  const suspects = new Map<string, string>();
  const sessionAt = strange.length > 0 ? createSessionFinder() : () => undefined;
  for (const [path, { changed }] of strange) {
    const sessionId = sessionAt(changed);
    if (sessionId !== undefined) suspects.set(path, sessionId);
  }
  const fresh = strange.filter(([path]) => !suspects.has(path));
  const isGone = Object.keys(known).some((path) => !files.has(path));
  if (fresh.length > 0 || isGone) await remember(files, hashes(fresh));
  return own.flatMap(({ id, path }) => {
    const mine = strange.filter(([file]) => suspects.has(file) && (belongs(file, path) || isBeside(file, path, own)));
    const sessionId = suspects.get(mine[0]?.[0] ?? "");
    return sessionId === undefined ? [] : [{ id, path, sessionId, files: hashes(mine) }];
  });
}

async function remember(files: ReadonlyMap<string, OwnFile>, fresh: Record<string, string>): Promise<void> {
  await changeTrust((record) => {
    const kept = Object.entries(record.extensions ?? {}).filter(([path]) => files.has(path));
    record.extensions = { ...Object.fromEntries(kept), ...fresh };
  });
}

/** Whether a file is an extension's: in its folder, the entry itself, or in the same preset. */
function belongs(file: string, entry: string): boolean {
  const unit = unitOf(relative(root(), entry).split(sep));
  return file === unit || file.startsWith(`${unit}/`);
}

/** `../presets/NAME`, or the first name below ~/.scorel/extensions. */
function unitOf(parts: readonly string[]): string {
  return parts.slice(0, parts[0] === ".." ? 3 : 1).join("/");
}

/** A helper that lies beside the extensions in ~/.scorel/extensions may be imported by any of them. */
function isBeside(file: string, entry: string, own: readonly ExtensionFile[]): boolean {
  return isWithin(root(), entry) && !file.startsWith("../") && !own.some(({ path }) => belongs(file, path));
}

const root = () => join(userDir(), "extensions");

function hashes(files: readonly (readonly [string, OwnFile])[]): Record<string, string> {
  return Object.fromEntries(files.map(([path, { sha256 }]) => [path, sha256]));
}

/** Every file there, with `/` between folders. */
function ownFiles(packages: readonly PresetPackage[]): Map<string, OwnFile> {
  const files = new Map<string, OwnFile>();
  if (fs.existsSync(root())) collect(root(), "", 0, files);
  for (const { name, folder } of packages) collect(folder, `../presets/${name}/`, 0, files);
  return files;
}

function collect(folder: string, prefix: string, depth: number, files: Map<string, OwnFile>): void {
  if (depth > DEEPEST) return;
  for (const name of fs.readdirSync(folder).sort()) {
    const path = join(folder, name);
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) collect(path, `${prefix}${name}/`, depth + 1, files);
    if (!stats?.isFile() || isWords.test(name)) continue;
    // Installed packages are many; their size and times tell as much as is needed to notice a change.
    const isPackage = prefix.includes("node_modules/");
    const sha256 = isPackage ? `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : sha256Of(fs.readFileSync(path));
    files.set(prefix + name, { sha256, changed: Math.max(stats.ctimeMs, fs.lstatSync(path).ctimeMs) });
  }
}
