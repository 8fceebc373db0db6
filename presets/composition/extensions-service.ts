import { join } from "node:path";
import type { ExtensionsService, KnownWords } from "@scorel/extensions/contract";
import type { Rehearsal } from "@scorel/extensions/rehearsal";
import type { RunPlugins } from "@scorel/extensions/rows";
import type { Kernel } from "@scorel/kernel";
import { rootOf } from "@scorel/kit/files/home";
import { loadTimes, shipped } from "../catalogue.ts";
import { packagesOf } from "../layers/layers.ts";
import { grammarKeys, isExtensionOff, isLeftOut, mergeLayers } from "../layers/merge.ts";
import { testRunner, typesProject } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { requestFor } from "./composition.ts";
import { extensionEntries } from "./extension-entries.ts";
import { findExtensions } from "./extension-files.ts";
import { resolve } from "./resolution.ts";

/** The service `extensions`: information about plugins and extensions for their authors. */
export function createExtensionsService(
  asked: Asked,
  words: KnownWords,
  rehearsal: Rehearsal,
  kernel: () => Kernel,
): ExtensionsService {
  const folders = () => import("@scorel/extensions/folders");
  const project = async () => {
    const known = (await requestFor(asked, asked.cwd)).project;
    // Creating the folder now does not make it trusted.
    return { dir: known?.dir ?? join(rootOf(asked.cwd), ".scorel"), trusted: known?.trusted ?? asked.trust };
  };
  return {
    async folder(of) {
      const { projectFolder, userFolder } = await folders();
      return of === "user" ? userFolder() : projectFolder(await project());
    },
    folderOf: async (path) => (await folders()).folderOf(path, await project()),
    async taken(id, of) {
      if (grammarKeys.includes(id)) return "config.toml uses this word itself";
      const builtIn = shipped(id);
      if (!builtIn) return undefined;
      if (of === "project" && builtIn.guard)
        return "a guard plugin of Scorel has this name, and a project cannot replace it";
      const { readLayers } = await import("../layers/layers.ts");
      const merged = mergeLayers(await readLayers(await requestFor(asked, asked.cwd)));
      if (isLeftOut(merged)(id)) return undefined;
      return `a plugin of Scorel has this name; write without = ["${id}"] into config.toml to put yours in its place`;
    },
    sources: async (cwd) => (await import("../layers/sources.ts")).sourcesOf(await requestFor(asked, cwd)),
    async list() {
      const [{ readRows }, run] = await Promise.all([import("@scorel/extensions/rows"), runPlugins(asked)]);
      return await readRows({ ...run, contributions: words.contributions }, rehearsal, kernel());
    },
    parse: async (path) => (await import("@scorel/extensions/parse")).parse(path),
    words,
    tsconfig: typesProject,
    testRunner,
  };
}

/** The plugins and extensions of a run: used, switched off, and found on disk. */
async function runPlugins(asked: Asked): Promise<Omit<RunPlugins, "contributions">> {
  const request = await requestFor(asked, asked.cwd);
  const resolution = await resolve(request);
  const { merged, plugins } = resolution;
  const builtIn = (ids: ReadonlyMap<string, string>) =>
    [...ids].flatMap(([id, origin]) => {
      const known = shipped(id);
      return known ? [{ id, origin, scope: known.scope }] : [];
    });
  return {
    cwd: asked.cwd,
    used: builtIn(merged.use).flatMap((each) => {
      const plugin = plugins.get(each.id);
      return plugin ? [{ ...each, plugin }] : [];
    }),
    off: builtIn(merged.without),
    found: await findExtensions(request.project, packagesOf(merged.layers), isLeftOut(merged)),
    projectDir: request.project?.dir ?? "",
    offAt: (id) => (isExtensionOff(merged, id) ? merged.without.get(id) : undefined),
    readMs: (plugin) => loadTimes.get(plugin),
    loadHost: async (file) => (await extensionEntries(resolution, [file], "host")).entries[0]?.plugin,
  };
}
