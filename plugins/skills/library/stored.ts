import { messageOf, type PluginContext } from "@scorel/kernel";
import type { PlacedSkills, SkillStore } from "@scorel/skillstore/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { SkillsConfig } from "../config.ts";
import { errors } from "../errors.ts";
import { archiveAt, type StoredRoots } from "./roots.ts";

/** The session whose skills are looked for, and the archives that are being fetched for it, by address. */
interface Fetching {
  ctx: PluginContext<SkillsConfig>;
  fetches: Map<string, Promise<void>>;
}

type Report = (thrown: unknown) => void;

/**
 * The installed skills of a session. Starts fetching configured archives that were never fetched; they appear in a later
 * search.
 */
export async function storedRoots(skills: Fetching, workspace: Workspace, report: Report): Promise<StoredRoots> {
  const { ctx } = skills;
  const store = ctx.find("skillStore");
  const configured = new Map<string, PlacedSkills>();
  for (const given of ctx.config.roots) {
    const address = archiveAt(given, workspace);
    if (address === undefined) continue;
    const kept = store ? await keptRoot(skills, store, address, report) : report(withoutStore(given));
    if (kept) configured.set(given, kept);
  }
  const ids = new Set([...configured.values()].map(({ id }) => id));
  const all = (await store?.list().catch(report)) ?? [];
  return { added: all.filter(({ id, added }) => added && !ids.has(id)), configured };
}

async function keptRoot(
  skills: Fetching,
  store: SkillStore,
  address: string,
  report: Report,
): Promise<PlacedSkills | undefined> {
  const { ctx, fetches } = skills;
  try {
    const kept = await store.find(address, "/");
    if (kept?.isStale) report(errors.SKILL_STALE({ from: kept.from, name: kept.name }));
    if (kept || fetches.has(address)) return kept;
  } catch (thrown) {
    report(thrown);
    return undefined;
  }
  const reach = { allowHosts: ctx.config.allowHosts, signal: ctx.signal };
  const failed = (thrown: unknown) => report(errors.SKILL_FETCH({ reason: messageOf(thrown) }, { cause: thrown }));
  const work = store.root(address, "/", reach).then(() => {}, failed);
  fetches.set(
    address,
    work.finally(() => fetches.delete(address)),
  );
  return undefined;
}

/** Hides the rest of an address, which may contain credentials. */
function withoutStore(given: string) {
  const root = given.replace(/^((?:git\+)?https?:\/\/).*$/is, "$1…");
  return errors.SKILL_ROOT({ root, reason: 'archives need the plugin "skillstore"' });
}
