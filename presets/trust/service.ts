import { codeOf } from "@scorel/kernel";
import type { TrustedProject, TrustService } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { canonical, groundOf, type TrustGround } from "../paths.ts";
import { presetAt } from "../store/package.ts";
import { readTrust, type TrustEntry } from "./file.ts";
import { itemsIn } from "./items.ts";
import { distrustPreset, reviewPreset, trustedPresets } from "./preset-trust.ts";
import { putDev, putTrust, reviewOf } from "./record.ts";
import { entryOf } from "./state.ts";
import { readTree, type Tree } from "./tree.ts";

/** What is trusted, for the commands and the question of the plugin `trust`. */
export function createTrust(asked: Asked): TrustService {
  return {
    async review(cwd, again = false) {
      const preset = again ? presetAt(cwd) : undefined;
      if (preset) return await reviewPreset(preset, asked, again);
      const ground = groundOf(canonical(cwd));
      if (!ground) return undefined;
      const entry = entryOf(ground);
      if (!again && (entry?.dev || isGranted(asked, ground))) return undefined;
      const tree = again ? readTree(ground.root, ground.folders) : readableTree(ground);
      if (!tree || tree.files.size === 0 || (!again && entry?.hash === tree.hash)) return undefined;
      return await reviewProject(tree, ground, asked, entry);
    },
    async list() {
      const projects = Object.entries(readTrust().projects).map(([path, entry]) => ({
        path,
        state: stateOf(path, entry),
        since: entry.since,
      }));
      return [...projects, ...trustedPresets()];
    },
    async trustByPath(cwd) {
      const at = canonical(cwd);
      const preset = presetAt(at);
      const path = preset?.path ?? groundOf(at)?.path ?? at;
      await putDev(preset ? "presets" : "projects", path);
      return path;
    },
    async remove(cwd) {
      const at = canonical(cwd);
      const preset = await distrustPreset(at);
      if (preset !== undefined) return preset;
      const path = groundOf(at)?.path ?? at;
      return (await putTrust("projects", path, () => undefined)) ? path : undefined;
    },
    async held() {
      const { heldNow } = await import("../extensions/held.ts");
      return await heldNow();
    },
    async confirm(held) {
      const { confirmHeld } = await import("../extensions/held.ts");
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

async function reviewProject(tree: Tree, ground: TrustGround, asked: Asked, entry: TrustEntry | undefined) {
  const { path, folders } = ground;
  return reviewOf("projects", tree, { path, folders, items: await itemsIn(tree, ground, asked) }, entry);
}

function stateOf(path: string, entry: TrustEntry): TrustedProject["state"] {
  const ground = groundOf(path);
  if (!ground) return "gone";
  if (entry.dev) return "dev";
  return readableTree(ground)?.hash === entry.hash ? "trusted" : "changed";
}
