import * as fs from "node:fs";
import { join, relative, sep } from "node:path";
import type { ExtensionFile, FoundExtensions } from "@scorel/extensions/contract";
import { sha256Of } from "@scorel/kit/files/hash";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { ifReadable } from "@scorel/kit/files/readable";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { HeldExtension } from "../contract.ts";
import { errors } from "../errors.ts";
import { changeTrust, readTrust } from "../record/file.ts";

const MAX_DEPTH = 12;
/** Text and settings files, which are never loaded as code. */
const isText = /\.(md|toml)$/i;

/** A file below ~/.scorel/extensions, or in the folder of a preset that the user has put into ~/.scorel/presets. */
interface OwnFile {
  sha256: string;
  /** When its content, name or mode last changed (ctime), in milliseconds; a program cannot set it. */
  changed: number;
}

/** The files of the user's extensions and presets. Paths are relative to ~/.scorel/extensions, with `/` between folders. */
interface OwnFiles {
  /** Every file that could be loaded as code. */
  files: Map<string, OwnFile>;
  /** Folders that this user can enter but not list: their files can be loaded by name, but are not among `files`. */
  unlisted: string[];
}

/** An extension that is not loaded, and why. */
interface LeftOut extends Pick<ExtensionFile, "id" | "path"> {
  why: string;
  problem: Error & { code: string };
}

/**
 * Leaves out extensions of the user, or of the user's presets, that appeared or changed while a session's tools ran: the
 * model could have written them, so the user has to confirm them at a terminal. Also leaves out those with a folder in which no change would
 * be noticed. Records all others as known. Throws TRUST_FILE.
 */
export async function withoutHeld(
  found: FoundExtensions,
  packages: readonly PresetPackage[],
): Promise<FoundExtensions> {
  const own = found.extensions.filter(isOwn);
  if (own.length === 0) return found;
  const all = ownFiles(packages);
  const unlisted = withUnlisted(own, all);
  const held = (await heldAmong(own, all)).filter(({ path }) => !unlisted.some((each) => each.path === path));
  const left = [...unlisted, ...held.map(asLeftOut)];
  if (left.length === 0) return found;
  return {
    ...found,
    extensions: found.extensions.filter(({ path }) => !left.some((each) => each.path === path)),
    idle: [...found.idle, ...left.map(({ id, why }) => ({ id, why }))],
    problems: [
      ...found.problems,
      ...left.map(({ id, path, problem: { code, message } }) => ({ plugin: id, origin: path, code, message })),
    ],
  };
}

function asLeftOut({ id, path, sessionId }: HeldExtension): LeftOut {
  return { id, path, why: "held back until you confirm it", problem: errors.EXTENSION_HELD({ id, path, sessionId }) };
}

/** The extensions that have a folder of `unlisted`, or could import from one. */
function withUnlisted(own: readonly ExtensionFile[], { unlisted }: OwnFiles): LeftOut[] {
  return own.flatMap(({ id, path }) => {
    const folder = unlisted.find((each) => belongs(each, path) || isBeside(each, path, own));
    if (folder === undefined) return [];
    const problem = errors.EXTENSION_UNLISTED({ id, folder: join(root(), folder) });
    return [{ id, path, why: "in a folder that cannot be listed", problem }];
  });
}

/** Whether an extension belongs to the user, so that neither a project's trust nor a lock file vouches for it. */
export function isOwn({ of, file, installed }: ExtensionFile): boolean {
  return (
    (of === "user" && installed === undefined) ||
    (of === "preset" && isWithin(canonical(presetsDir()), canonical(file)))
  );
}

/**
 * Records these extensions as known, with the hashes that were shown. An extension that changed after that needs
 * confirmation again.
 */
export async function confirmHeld(held: readonly HeldExtension[]): Promise<void> {
  await changeTrust((record) => {
    record.extensions = Object.assign({}, record.extensions, ...held.map(({ files }) => files));
  });
}

/**
 * The user's extensions that have to be confirmed. `packages` are the presets that the user has put into ~/.scorel/presets.
 * Files that need no confirmation are recorded as known; most starts find no new file and write nothing.
 */
export async function heldNow(
  own: readonly ExtensionFile[],
  packages: readonly PresetPackage[],
): Promise<HeldExtension[]> {
  return await heldAmong(own, ownFiles(packages));
}

async function heldAmong(own: readonly ExtensionFile[], { files }: OwnFiles): Promise<HeldExtension[]> {
  const { extensions: known = {} } = readTrust();
  const unknown = [...files].filter(([path, { sha256 }]) => !Object.hasOwn(known, path) || known[path] !== sha256);
  const suspects = new Map<string, string>();
  const sessionAt = unknown.length > 0 ? (await import("./tool-times.ts")).createSessionFinder() : () => undefined;
  for (const [path, { changed }] of unknown) {
    const sessionId = sessionAt(changed);
    if (sessionId !== undefined) suspects.set(path, sessionId);
  }
  const fresh = unknown.filter(([path]) => !suspects.has(path));
  const isGone = Object.keys(known).some((path) => !files.has(path));
  if (fresh.length > 0 || isGone) await remember(files, hashes(fresh));
  return own.flatMap(({ id, path }) => {
    const mine = unknown.filter(([file]) => suspects.has(file) && (belongs(file, path) || isBeside(file, path, own)));
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

/** Whether a file is part of an extension: its entry file, a file in its folder, or a file of the same preset. */
function belongs(file: string, entry: string): boolean {
  const unit = unitOf(relative(root(), entry).split(sep));
  return file === unit || file.startsWith(`${unit}/`);
}

/** The file or folder that an extension belongs to: `../presets/NAME`, or the first name below ~/.scorel/extensions. */
function unitOf(parts: readonly string[]): string {
  return parts.slice(0, parts[0] === ".." ? 3 : 1).join("/");
}

/** Whether a file of ~/.scorel/extensions belongs to no extension; any extension may import it. */
function isBeside(file: string, entry: string, own: readonly ExtensionFile[]): boolean {
  return isWithin(root(), entry) && !file.startsWith("../") && !own.some(({ path }) => belongs(file, path));
}

const root = () => join(userDir(), "extensions");

function hashes(files: readonly (readonly [string, OwnFile])[]): Record<string, string> {
  return Object.fromEntries(files.map(([path, { sha256 }]) => [path, sha256]));
}

function ownFiles(packages: readonly PresetPackage[]): OwnFiles {
  const found: OwnFiles = { files: new Map(), unlisted: [] };
  if (fs.existsSync(root())) collect(root(), "", 0, found);
  for (const { name, folder } of packages) collect(folder, `../presets/${name}/`, 0, found);
  return found;
}

/** Leaves out what cannot be read, which is no code. What becomes readable later is judged then, by when it has changed. */
function collect(folder: string, prefix: string, depth: number, found: OwnFiles): void {
  if (depth > MAX_DEPTH) return;
  const names = ifReadable(() => fs.readdirSync(folder).sort());
  if (!names && mayBeEntered(folder)) found.unlisted.push(prefix.slice(0, -1));
  for (const name of names ?? []) {
    const path = join(folder, name);
    const stats = ifReadable(() => fs.statSync(path));
    if (stats?.isDirectory()) collect(path, `${prefix}${name}/`, depth + 1, found);
    if (!stats?.isFile() || isText.test(name)) continue;
    // Hashing all files of installed packages would be slow; size and times are enough to notice a change.
    const isPackage = prefix.includes("node_modules/");
    const marks = `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
    const sha256 = isPackage ? marks : ifReadable(() => sha256Of(fs.readFileSync(path)));
    const link = ifReadable(() => fs.lstatSync(path));
    if (sha256 !== undefined && link)
      found.files.set(prefix + name, { sha256, changed: Math.max(stats.ctimeMs, link.ctimeMs) });
  }
}

/** Whether files in a folder can be opened by their names. */
function mayBeEntered(folder: string): boolean {
  // `join` would remove the dot, which needs the right to enter the folder.
  return ifReadable(() => fs.statSync(`${folder}${sep}.`)) !== undefined;
}
