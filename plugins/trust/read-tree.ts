import { type Refuse, readTree, type Tree } from "@scorel/kit/files/tree";
import { errors } from "./errors.ts";

/** The error for a path that cannot be trusted, such as a symbolic link that leads out of the project. */
export const untrustable: Refuse = (path, reason, options) => errors.TRUST_TREE({ path, reason }, options);

/** Every file below these folders of `root`, read once. Throws TRUST_TREE. */
export function readTrustTree(root: string, folders: readonly string[], skipped: readonly string[] = []): Tree {
  return readTree(root, folders, { refuse: untrustable, skipped });
}
