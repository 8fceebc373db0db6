import { existsSync } from "node:fs";
import type { FoundExtensions } from "@scorel/extensions/contract";
import { presetsDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import type { HeldExtension, TrustService } from "@scorel/trust/contract";
import type { Project } from "@scorel/trust/loader";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { Asked } from "./asked.ts";
import { findExtensions } from "./extension-files.ts";

/** The project of a directory, if it has files for Scorel, and whether they may be used. Throws TRUST_FILE. */
export async function projectFor(asked: Asked, cwd: string): Promise<Project | undefined> {
  return await (await import("@scorel/trust/projects")).projectFor(asked, cwd);
}

/** The information that the plugin `trust` needs about the layers of a run. */
export async function knowledgeOf(asked: Asked) {
  const { createKnowledge } = await import("../layers/knowledge.ts");
  return createKnowledge(asked);
}

/** The service `trust`. Its code is loaded by the first call that needs it. */
export function createTrustService(asked: Asked): TrustService {
  const service = async () => {
    const { createTrust } = await import("@scorel/trust/service");
    return createTrust(asked, { layers: await knowledgeOf(asked), own: ownExtensions, held: heldNow });
  };
  return {
    async review(cwd, again) {
      const { targetsOf } = await import("@scorel/trust/targets");
      return again || targetsOf(cwd).length > 0 ? await (await service()).review(cwd, again) : undefined;
    },
    async tell(cwd) {
      const [{ targetsOf }, at] = [await import("@scorel/trust/targets"), canonical(cwd)];
      if (targetsOf(at).length === 0) return;
      const project = await projectFor(asked, at);
      if (project?.trusted === false && project.notice !== undefined) asked.notify(project.notice);
    },
    list: async () => (await service()).list(),
    trustByPath: async (cwd) => (await service()).trustByPath(cwd),
    remove: async (cwd) => (await service()).remove(cwd),
    held: async () => ((await mayHoldBack()) ? (await service()).held() : []),
    confirm: async (each) => (await service()).confirm(each),
    forget: async (extension) => (await service()).forget(extension),
  };
}

/** The found extensions, except for those of the user that were added or changed while tools ran. Throws TRUST_FILE. */
export async function withoutHeld(found: FoundExtensions): Promise<FoundExtensions> {
  return (await import("@scorel/trust/held")).withoutHeld(found, await ownPackages());
}

/** The extensions of the user, and of the presets that the user has put into ~/.scorel/presets by hand -> path. */
async function ownExtensions(): Promise<Map<string, string>> {
  const { extensions } = await findExtensions(undefined, await ownPackages(), () => true);
  return new Map(extensions.map(({ id, path }) => [id, path]));
}

/** Whether the user has extensions, or presets that may contain some. */
async function mayHoldBack(): Promise<boolean> {
  return (await findExtensions(undefined)).extensions.length > 0 || existsSync(presetsDir());
}

/** The user's extensions that are not loaded until the user confirms them. */
export async function heldNow(): Promise<HeldExtension[]> {
  const packages = await ownPackages();
  const { extensions } = await findExtensions(undefined, packages, () => true);
  return await (await import("@scorel/trust/held")).heldNow(extensions, packages);
}

/** The preset folders that the user has put into ~/.scorel/presets by hand. */
async function ownPackages(): Promise<PresetPackage[]> {
  return existsSync(presetsDir()) ? (await import("@scorel/packages/installed")).ownPackages() : [];
}
