import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { ExtensionFolder } from "../contract.ts";
import { errors } from "../errors.ts";

/**
 * Throws EXTENSIONS_LINK when the folder of a project's extensions, or the `.scorel` that it is in, is a link: a repository could lead
 * what is written there to any place. The user's own folders may be links.
 */
export function assertNoLinks({ of, path }: ExtensionFolder): void {
  if (of === "user") return;
  for (const each of [dirname(path), path]) assertNoLink(each);
}

/** Throws EXTENSIONS_LINK when the path is a link. */
export function assertNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw errors.EXTENSIONS_LINK({ path });
}
