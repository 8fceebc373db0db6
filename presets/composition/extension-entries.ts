import { dirname, join } from "node:path";
import type { ExtensionFile, ExtensionProblem } from "@scorel/extensions/contract";
import type { AnyPlugin, KernelEntry } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { secretFree } from "@scorel/kit/text/secret-free";
import { loadTimes } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { issuesIn } from "../layers/check.ts";
import { knownWords } from "./hints.ts";
import type { Resolution } from "./resolution.ts";

/** Loads extensions of one scope; what cannot be loaded is a problem, and the rest is not harmed. */
export async function extensionEntries(
  resolution: Resolution,
  files: readonly ExtensionFile[],
  scope: "host" | "session",
): Promise<{ entries: KernelEntry[]; problems: ExtensionProblem[] }> {
  const entries: KernelEntry[] = [];
  const problems: ExtensionProblem[] = [];
  if (files.length === 0) return { entries, problems };
  const [{ asProblem }, { fieldSlips }] = await Promise.all([
    import("@scorel/extensions/find"),
    import("@scorel/extensions/slips"),
  ]);
  let load: Awaited<ReturnType<typeof createLoader>>;
  try {
    load = await createLoader();
  } catch (thrown) {
    // The folder of compiled code is not safe: that stops all extensions, and is said once.
    problems.push(asProblem("extensions", thrown));
    return { entries, problems };
  }
  for (const file of files)
    try {
      const began = performance.now();
      const plugin = await load(file);
      const readMs = performance.now() - began;
      const slips = fieldSlips(Object.keys(plugin), knownWords.fields);
      if (slips.length > 0)
        problems.push(asProblem(file.path, errors.EXTENSION_FIELDS({ id: file.id, file: file.path, slips })));
      if ((plugin.scope ?? "session") === scope) {
        const entry = await entryOf(resolution, file, plugin);
        loadTimes.set(entry.plugin, readMs);
        entries.push(entry);
      } else if (scope === "session") assertHostAllowed(file);
    } catch (thrown) {
      problems.push(asProblem(file.path, thrown));
    }
  return { entries, problems };
}

/** Throws EXTENSION_FOLDER when others than this user could write the folder of compiled code. */
export async function createLoader(onUse?: (name: string) => void) {
  const { createExtensionLoader } = await import("@scorel/extensions/load");
  const folder = join(userDir(), "cache", "jiti");
  makePrivate(userDir(), dirname(folder), folder);
  return createExtensionLoader({ folder, keyFile: join(userDir(), "cache.key") }, onUse);
}

/** With a schema it gets its own table, checked; without one the whole configuration, as older extensions expect. */
async function entryOf(
  { merged }: Resolution,
  { id, path, file }: ExtensionFile,
  plugin: AnyPlugin,
): Promise<KernelEntry> {
  const { contain } = await import("@scorel/extensions/contain");
  const entry = contain(plugin, { path, file, ...(await serviceCheck(plugin)) });
  if (!plugin.config) return { ...entry, config: secretFree(merged.tables) };
  const config = Object.hasOwn(merged.tables, id) ? merged.tables[id] : {};
  const issues = issuesIn(merged, id, plugin.config, config);
  if (issues.length > 0) throw errors.CONFIG_INVALID({ problems: issues });
  return { ...entry, config };
}

/** What others rely on is loaded for those extensions alone that provide something. */
async function serviceCheck({ provides = [] }: AnyPlugin) {
  if (provides.length === 0) return {};
  const { assertService } = await import("@scorel/extensions/service-check");
  return { checkService: assertService };
}

/** One of the user was loaded when the process started. */
function assertHostAllowed({ id, path, of }: ExtensionFile): void {
  if (of === "user") return;
  const whose = of === "project" ? "a project's extension" : "an extension of a preset";
  const problem = `Extension "${id}" is left out: ${whose} cannot run once per process (scope "host"); move it to ~/.scorel/extensions (${path})`;
  throw errors.CONFIG_SCOPE({ problems: [problem] });
}
