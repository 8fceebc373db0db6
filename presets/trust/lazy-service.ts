import { existsSync } from "node:fs";
import type { TrustService } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { findExtensions } from "../composition/extension-files.ts";
import { groundsOf } from "../paths.ts";
import { presetsDir } from "../store/lock.ts";

/** The service `trust`; what does its work is loaded by the first call that has something to do. */
export function createLazyTrust(asked: Asked): TrustService {
  const work = async () => (await import("./service.ts")).createTrust(asked);
  return {
    review: async (cwd, again) => (again || groundsOf(cwd).length > 0 ? (await work()).review(cwd, again) : undefined),
    list: async () => (await work()).list(),
    trustByPath: async (cwd) => (await work()).trustByPath(cwd),
    remove: async (cwd) => (await work()).remove(cwd),
    held: async () => ((await mayHoldBack()) ? (await work()).held() : []),
    confirm: async (held) => (await work()).confirm(held),
  };
}

/** Extensions of the user's own, or presets that may bring some. */
async function mayHoldBack(): Promise<boolean> {
  return (await findExtensions(undefined)).extensions.length > 0 || existsSync(presetsDir());
}
