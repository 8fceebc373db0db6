import { changesIn, textOf } from "@scorel/kit/files/changes";
import { keepCopy, removeCopy, retireCopy } from "@scorel/kit/files/copy";
import { sha256Of } from "@scorel/kit/files/hash";
import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem, TrustReview } from "../contract.ts";
import { changeTrust, type TrustEntry, type TrustRecord } from "./file.ts";

/** The tables of trust.json: projects, and presets that are named by their path. */
export type TrustTable = "projects" | "presets";

/** The part of a review that is shown to the user. */
export type Reviewed = Pick<TrustReview, "path" | "folders" | "items">;

/** A review of files that were read. Accepting it trusts exactly the bytes that were read. */
export function reviewOf(table: TrustTable, tree: Tree, shown: Reviewed, entry: TrustEntry | undefined): TrustReview {
  const changes = changesIn(tree, entry);
  const files = Object.fromEntries([...tree.files].map(([path, bytes]) => [path, sha256Of(bytes)]));
  const isTrusted = entry?.dev || entry?.hash === tree.hash;
  const state = isTrusted ? "trusted" : entry?.hash === undefined ? "new" : "changed";
  const changed = new Set(changes?.map(({ path }) => path));
  const isKnown = ({ kind, place }: TrustItem) => {
    // Whether a setting weakens or redirects something also depends on the user's own settings, which may have changed.
    if (kind === "weakens" || kind === "redirect") return false;
    const path = place.replace(/:\d+$/, "");
    return changed.size > 0 && tree.files.has(path) && !changed.has(path);
  };
  return {
    ...shown,
    items: shown.items.map((item) => (isKnown(item) ? { ...item, isKnown: true } : item)),
    parts: [{ folders: shown.folders, state }],
    ...(changes && { changes }),
    texts: () =>
      [...tree.files].flatMap(([path, bytes]) => {
        const text = textOf(bytes);
        return text === undefined ? [] : [{ path, text }];
      }),
    async accept() {
      // The copy is made now, so that later changes can be shown as a diff against it.
      keepCopy(tree);
      await putTrust(table, shown.path, (before) => ({ ...withoutDev(before), hash: tree.hash, files, since: now() }));
    },
  };
}

/** Replaces the entry of a path and returns whether there was one. Removes its private copy if no entry uses it, and no session can. */
export async function putTrust(
  name: TrustTable,
  path: string,
  entry: (before: TrustEntry | undefined) => TrustEntry | undefined,
): Promise<boolean> {
  let before: TrustEntry | undefined;
  await changeTrust((record) => {
    const table = record[name] ?? {};
    before = Object.hasOwn(table, path) ? table[path] : undefined;
    const after = entry(before);
    if (after) table[path] = after;
    else delete table[path];
    if (after || before) record[name] = table;
    if (before?.hash && !isNeeded(before.hash, record)) discardCopy(before.hash, after !== undefined);
  });
  return before !== undefined;
}

/** Removes the private copy of what is no longer trusted. A copy that was replaced stays for a while, since running sessions read from it. */
function discardCopy(hash: string, isReplaced: boolean): void {
  if (isReplaced) retireCopy(hash);
  else removeCopy(hash);
}

/** Trusts a path whatever its files are, from now on. */
export async function putDev(name: TrustTable, path: string): Promise<void> {
  await putTrust(name, path, () => ({ dev: true, since: now() }));
}

function withoutDev({ dev: _, ...entry }: TrustEntry = { since: "" }): Omit<TrustEntry, "dev"> {
  return entry;
}

function isNeeded(hash: string, { projects, presets = {} }: TrustRecord): boolean {
  return [projects, presets].flatMap((table) => Object.values(table)).some((entry) => entry.hash === hash);
}

const now = () => new Date().toISOString();
