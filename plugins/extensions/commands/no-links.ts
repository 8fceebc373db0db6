import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import type { ExtensionFolder } from "../contract.ts";
import { errors } from "../errors.ts";

/**
 * Throws EXTENSIONS_LINK if the folder of a project's extensions, or the `.scorel` around it, is a link, because a repository could
 * redirect written files to any place with it. The user's own folders may be links.
 */
export function assertNoLinks({ of, path }: ExtensionFolder): void {
  if (of === "user") return;
  for (const each of [dirname(path), path]) assertNoLink(each);
}

/** Throws EXTENSIONS_LINK when the path is a link. */
export function assertNoLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw errors.EXTENSIONS_LINK({ path });
}
