import { existsSync } from "node:fs";
import type { FoundExtensions } from "@scorel/extensions/contract";
import { packagesDir, userDir } from "@scorel/kit/files/home";
import { assertPrivate, closeToOthers } from "@scorel/kit/files/private-folder";
import type { Project } from "@scorel/trust/loader";
import type { PresetPackage } from "@scorel/workspace/contract";
import manifest from "../../package.json" with { type: "json" };
import { shipped } from "../catalogue.ts";
import { grammarKeys } from "../layers/merge.ts";
import { filesOf } from "../paths.ts";

/** Whether a plugin of Scorel with this id is left out, so that an extension may have the id. */
export type IsLeftOut = (id: string) => boolean;

/** Finds the extensions of the user, of presets that are folders, and of the project; if it is not trusted, only their names. */
export async function findExtensions(
  project: Project | undefined,
  packages: readonly PresetPackage[] = [],
  isLeftOut: IsLeftOut = () => false,
): Promise<FoundExtensions> {
  const { findExtensions } = await import("@scorel/extensions/find");
  const own = userDir();
  return findExtensions({
    installed: await installedExtensions(),
    folders: [
      ...packages.map(({ root, folder }) => ({ of: "preset" as const, path: root, shown: folder })),
      { of: "user", path: own, shown: own },
      ...(project?.trusted ? [{ of: "project" as const, path: filesOf(project), shown: project.dir }] : []),
    ],
    ...(project?.trusted === false && { untrusted: project.dir }),
    assertSafe(folder, of) {
      assertPrivate(folder);
      if (of === "user") closeToOthers(folder);
    },
    takenBy(id, of) {
      const plugin = shipped(id);
      // A project cannot replace a plugin that enforces the user's limits on the model.
      if (plugin && (!isLeftOut(id) || (of === "project" && plugin.guard)))
        return `a plugin of Scorel has this id; rename the file or folder, or write without = ["${id}"] to use this one instead`;
      return grammarKeys.includes(id) ? "config.toml uses this word itself; rename the file or folder" : undefined;
    },
  });
}

/** The extensions that the user has installed. Loads the plugin only if there is a folder of them. */
async function installedExtensions(): Promise<Pick<FoundExtensions, "extensions" | "problems">> {
  if (!existsSync(packagesDir())) return { extensions: [], problems: [] };
  const found = await (await import("@scorel/packages/extensions")).installedExtensions(manifest.version);
  const extensions = found.extensions.map(({ id, path, file, root, source: { spec, version } }) => {
    const installed = { from: spec, ...(version !== undefined && { version }) };
    return { id, path, file, of: "user" as const, within: root, installed };
  });
  return { ...found, extensions };
}
