import { dirname } from "node:path";
import type { ExtensionFile } from "../contract.ts";
import { placeInFiles } from "./stack.ts";

type Owner = Pick<ExtensionFile, "id" | "path" | "file">;

/** Every extension whose code this process has loaded, by its file. */
const owners = new Map<string, Owner>();

/** Remembers an extension before its code runs. */
export function rememberExtension(owner: Owner): void {
  owners.set(owner.file, owner);
}

/** The ids of all extensions whose code may still run. */
export function loadedExtensions(): string[] {
  return [...new Set([...owners.values()].map(({ id }) => id))];
}

/** Every file that extensions were loaded from. */
export function extensionFiles(): Owner[] {
  return [...owners.values()].map(({ id, path, file }) => ({ id, path, file }));
}

/** The extension whose file stands in the stack of what was thrown, and the `file:line`. */
export function ownerOf(thrown: unknown): { id: string; at: string } | undefined {
  for (const { id, path, file } of owners.values()) {
    const at = placeInFiles(thrown, { path, file });
    if (at !== undefined) return { id, at };
  }
  return undefined;
}

/** The extension that is calling, looked for in the topmost `frames` of the stack. */
export function callingExtension(frames: number): { id: string; at: string } | undefined {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  const here = new Error();
  Error.stackTraceLimit = before;
  // Most calls are Scorel's own; this check is cheap.
  const stack = here.stack ?? "";
  return [...owners.values()].some(({ file }) => stack.includes(dirname(file))) ? ownerOf(here) : undefined;
}
