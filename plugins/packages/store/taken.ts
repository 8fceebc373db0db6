import { existsSync } from "node:fs";
import { join } from "node:path";
import { entryOf, isPackageName, lockNow } from "./lock.ts";
import type { PackageRules } from "./rules.ts";
import { folderOf } from "./steps.ts";

/** Why no package can be installed under a name now; an installed package of that name does not count. */
export function reasonAgainst(name: string, { kind, occupied }: PackageRules): string | undefined {
  if (!isPackageName(name)) return "a name consists of lower-case letters, digits and single . _ - between them";
  const reason = occupied(name);
  if (reason !== undefined) return reason;
  const isOwn = existsSync(folderOf(kind, name)) && !entryOf(lockNow(kind), name);
  return isOwn ? `${join(kind.dir(), name)} already exists and was not installed` : undefined;
}
