import { existsSync } from "node:fs";
import type { FoundExtensions } from "@scorel/extensions/contract";
import { presetsDir } from "@scorel/kit/files/home";
import type { HeldExtension, TrustService } from "@scorel/trust/contract";
import type { Project } from "@scorel/trust/loader";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { Asked } from "./asked.ts";
import { findExtensions } from "./extension-files.ts";

/** What the project of a directory has for Scorel to use, and whether it may be used. Throws TRUST_FILE. */
export async function projectFor(asked: Asked, cwd: string): Promise<Project | undefined> {
  return await (await import("@scorel/trust/projects")).projectFor(asked, cwd);
}

/** What trust has to know of the layers of a run. */
export async function knowledgeOf(asked: Asked) {
  const { createKnowledge } = await import("../layers/knowledge.ts");
  return createKnowledge(asked);
}

/** The service `trust`; what does its work is loaded by the first call that has something to do. */
export function createTrustService(asked: Asked): TrustService {
  const work = async () => {
    const { createTrust } = await import("@scorel/trust/service");
    return createTrust(asked, { layers: await knowledgeOf(asked), held: heldNow });
  };
  return {
    async review(cwd, again) {
      const { targetsOf } = await import("@scorel/trust/targets");
      return again || targetsOf(cwd).length > 0 ? await (await work()).review(cwd, again) : undefined;
    },
    list: async () => (await work()).list(),
    trustByPath: async (cwd) => (await work()).trustByPath(cwd),
    remove: async (cwd) => (await work()).remove(cwd),
    held: async () => ((await mayHoldBack()) ? (await work()).held() : []),
    confirm: async (each) => (await work()).confirm(each),
  };
}

/** What was found, without the user's extensions that appeared or changed while tools ran. Throws TRUST_FILE. */
export async function withoutHeld(found: FoundExtensions): Promise<FoundExtensions> {
  return (await import("@scorel/trust/held")).withoutHeld(found, await ownPackages());
}

/** Whether the user has extensions of their own, or presets that may bring some. */
async function mayHoldBack(): Promise<boolean> {
  return (await findExtensions(undefined)).extensions.length > 0 || existsSync(presetsDir());
}

/** The user's extensions that wait for a yes. */
export async function heldNow(): Promise<HeldExtension[]> {
  const packages = await ownPackages();
  const { extensions } = await findExtensions(undefined, packages, () => true);
  return await (await import("@scorel/trust/held")).heldNow(extensions, packages);
}

/** The presets that are folders and that the user has put into ~/.scorel/presets by hand. */
async function ownPackages(): Promise<PresetPackage[]> {
  return existsSync(presetsDir()) ? (await import("@scorel/packages/installed")).ownPackages() : [];
}
