import { dirname, join } from "node:path";
import type { ExtensionFolder, ExtensionsService, KnownWords } from "@scorel/extensions/contract";
import type { Rehearsal } from "@scorel/extensions/rehearsal";
import type { RunPlugins } from "@scorel/extensions/rows";
import type { Kernel } from "@scorel/kernel";
import { rootOf, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { loadTimes, shipped } from "../catalogue.ts";
import { packagesOf } from "../layers/layers.ts";
import { grammarKeys, isExtensionOff, isLeftOut, mergeLayers } from "../layers/merge.ts";
import { typesProject } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { requestFor } from "./composition.ts";
import { extensionEntries } from "./extension-entries.ts";
import { findExtensions } from "./extension-files.ts";
import { resolve } from "./resolution.ts";

/** The service `extensions`: what the loader tells authors about plugins and extensions. */
export function createExtensionsService(
  asked: Asked,
  words: KnownWords,
  rehearsal: Rehearsal,
  kernel: () => Kernel,
): ExtensionsService {
  const own = (): ExtensionFolder => ({ of: "user", path: join(userDir(), "extensions"), trusted: true });
  const projects = async (): Promise<ExtensionFolder> => {
    const { project } = await requestFor(asked, asked.cwd);
    const dir = project?.dir ?? join(rootOf(asked.cwd), ".scorel");
    // Creating the folder now does not make it trusted.
    return { of: "project", path: join(dir, "extensions"), trusted: project?.trusted ?? asked.trust };
  };
  return {
    folder: async (of) => (of === "user" ? own() : projects()),
    async folderOf(path) {
      const real = canonical(path);
      const known = [own(), await projects()].find((folder) => isWithin(canonical(folder.path), real));
      return known ?? otherProjects(real);
    },
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

/** A path below another `.scorel` folder than the user's is code of a project that is not trusted in this run. */
function otherProjects(path: string): ExtensionFolder | undefined {
  if (isWithin(canonical(userDir()), path)) return undefined;
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir))
    if (dir.endsWith("/.scorel") || dir.endsWith("\\.scorel")) return { of: "project", path: dir, trusted: false };
  return undefined;
}
