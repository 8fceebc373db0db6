import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { isWithin } from "@scorel/kit/files/paths";
import type { Access, ReadyTool } from "@scorel/tools/contract";

const FILES = [".ts", ".mts", ".js", ".mjs", ""];

/**
 * What a tool says that a call touches, as far as it is believed: a tool that a project brings can call itself harmless, and is
 * taken for one only when the user's own configuration names it.
 */
export function believed(access: Access, tool: ReadyTool, workspace: Workspace, readers: readonly string[]): Access {
  return readers.includes(tool.name) || !isOfProject(tool.plugin, workspace) ? access : "exclusive";
}

/** Whether a plugin is an extension of the project, or of a preset that lies in it. An extension's id is its file's name. */
function isOfProject(plugin: string, { trusted, trustedCopy, packages = [] }: Workspace): boolean {
  if (trusted === undefined) return false;
  const presets = packages.filter(({ folder }) => isWithin(trusted, folder)).map(({ root }) => root);
  return [trusted, ...(trustedCopy ? [trustedCopy.scorel] : []), ...presets].some((folder) =>
    FILES.some((end) => existsSync(join(folder, "extensions", plugin + end))),
  );
}
