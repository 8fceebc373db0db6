import { dirname } from "node:path";
import type { ExtensionFile } from "../contract.ts";
import { placeInFiles } from "./stack.ts";

type Owner = Pick<ExtensionFile, "id" | "path" | "file">;

/** All extensions that this process has loaded: file -> owner. */
const owners = new Map<string, Owner>();

/** Registers an extension; called before its code runs. */
export function rememberExtension(owner: Owner): void {
  owners.set(owner.file, owner);
}

/** The ids of all extensions whose code may still run. */
export function loadedExtensions(): string[] {
  return [...new Set([...owners.values()].map(({ id }) => id))];
}

/** Every file from which extensions were loaded. */
export function extensionFiles(): Owner[] {
  return [...owners.values()].map(({ id, path, file }) => ({ id, path, file }));
}

/** The extension that the stack of a thrown value names, and its `file:line`. */
export function ownerOf(thrown: unknown): { id: string; at: string } | undefined {
  for (const { id, path, file } of owners.values()) {
    const at = placeInFiles(thrown, { path, file });
    if (at !== undefined) return { id, at };
  }
  return undefined;
}

/** The extension that is calling, searched in the topmost `frames` of the stack. */
export function callingExtension(frames: number): { id: string; at: string } | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  const here = new Error();
  Error.stackTraceLimit = before;
  // A cheap check first, since most calls come from Scorel itself.
  const stack = here.stack ?? "";
  return [...owners.values()].some(({ file }) => stack.includes(dirname(file))) ? ownerOf(here) : undefined;
}
