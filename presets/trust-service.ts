import { codeOf } from "@scorel/kernel";
import type { TrustedProject, TrustReview, TrustService } from "@scorel/trust/contract";
import type { Asked } from "./composition.ts";
import { canonical, groundOf, type TrustGround } from "./paths.ts";
import { changesIn, textOf } from "./trust-changes.ts";
import { changeTrust, readTrust, type TrustEntry, type TrustRecord } from "./trust-file.ts";
import { itemsIn } from "./trust-items.ts";
import { entryOf } from "./trust-state.ts";
import { readTree, sha256Of, type Tree } from "./trust-tree.ts";
import { keepCopy, removeCopy } from "./trusted-copy.ts";

/** What is trusted, for the commands and the question of the plugin `trust`. */
export function createTrust(asked: Asked): TrustService {
  return {
    async review(cwd, again = false) {
      const ground = groundOf(canonical(cwd));
      if (!ground) return undefined;
      const entry = entryOf(ground);
      if (!again && (entry?.dev || isGranted(asked, ground))) return undefined;
      const tree = again ? readTree(ground.root, ground.folders) : readableTree(ground);
      if (!tree || tree.files.size === 0 || (!again && entry?.hash === tree.hash)) return undefined;
      return await reviewOf(tree, ground, asked, entry);
    },
    async list() {
      return Object.entries(readTrust().projects).map(([path, entry]) => ({
        path,
        state: stateOf(path, entry),
        since: entry.since,
      }));
    },
    async trustByPath(cwd) {
      const at = canonical(cwd);
      const path = groundOf(at)?.path ?? at;
      await put(path, () => ({ dev: true, since: now() }));
      return path;
    },
    async remove(cwd) {
      const at = canonical(cwd);
      const path = groundOf(at)?.path ?? at;
      return (await put(path, () => undefined)) ? path : undefined;
    },
    async held() {
      const { heldNow } = await import("./held-extensions.ts");
      return await heldNow();
    },
    async confirm(held) {
      const { confirmHeld } = await import("./held-extensions.ts");
      await confirmHeld(held);
    },
  };
}

function isGranted({ trust, cwd }: Asked, { path }: TrustGround): boolean {
  return trust && groundOf(cwd)?.path === path;
}

/** What cannot be trusted is nothing to ask about; `scorel trust add` says why. */
function readableTree({ root, folders }: TrustGround): Tree | undefined {
  try {
    return readTree(root, folders);
  } catch (thrown) {
    if (codeOf(thrown) === "TRUST_TREE") return undefined;
    throw thrown;
  }
}

async function reviewOf(
  tree: Tree,
  ground: TrustGround,
  asked: Asked,
  entry: TrustEntry | undefined,
): Promise<TrustReview> {
  const changes = changesIn(tree, entry);
  const files = Object.fromEntries([...tree.files].map(([path, bytes]) => [path, sha256Of(bytes)]));
  return {
    path: ground.path,
    folders: ground.folders,
    items: await itemsIn(tree, ground, asked),
    ...(changes && { changes }),
    texts: () =>
      [...tree.files].flatMap(([path, bytes]) => {
        const text = textOf(bytes);
        return text === undefined ? [] : [{ path, text }];
      }),
    async accept() {
      // Kept at once, so that a later change can be shown beside what was agreed to.
      keepCopy(tree);
      await put(ground.path, (before) => ({ ...withoutDev(before), hash: tree.hash, files, since: now() }));
    },
  };
}

function withoutDev({ dev: _, ...entry }: TrustEntry = { since: "" }): Omit<TrustEntry, "dev"> {
  return entry;
}

function stateOf(path: string, entry: TrustEntry): TrustedProject["state"] {
  const ground = groundOf(path);
  if (!ground) return "gone";
  if (entry.dev) return "dev";
  return readableTree(ground)?.hash === entry.hash ? "trusted" : "changed";
}

/** Puts a new entry in the old one's place; answers whether there was one. A copy that no project needs is removed. */
async function put(path: string, entry: (before: TrustEntry | undefined) => TrustEntry | undefined): Promise<boolean> {
  let before: TrustEntry | undefined;
  await changeTrust((record) => {
    before = Object.hasOwn(record.projects, path) ? record.projects[path] : undefined;
    const after = entry(before);
    if (after) record.projects[path] = after;
    else delete record.projects[path];
    if (before?.hash && !isNeeded(before.hash, record)) removeCopy(before.hash);
  });
  return before !== undefined;
}

function isNeeded(hash: string, { projects }: TrustRecord): boolean {
  return Object.values(projects).some((entry) => entry.hash === hash);
}

const now = () => new Date().toISOString();
