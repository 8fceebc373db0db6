import { existsSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { Access, ReadyTool } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";

const FILES = [".ts", ".mts", ".js", ".mjs", ""];

/**
 * What a call touches, according to its tool. A tool from a project could claim to be harmless, so its claim counts only when
 * the user lists it in `readers`; otherwise the call counts as `exclusive`.
 */
export function trustedAccess(
  access: Access,
  tool: ReadyTool,
  workspace: Workspace,
  readers: readonly string[],
): Access {
  return readers.includes(tool.name) || !isOfProject(tool.plugin, workspace) ? access : "exclusive";
}

/** Whether a plugin is an extension of the project, or of a preset inside the project. An extension's id is its file name. */
function isOfProject(plugin: string, { trusted, trustedCopy, packages = [] }: Workspace): boolean {
  if (trusted === undefined) return false;
  const presets = packages.filter(({ folder }) => isWithin(trusted, folder)).map(({ root }) => root);
  return [trusted, ...(trustedCopy ? [trustedCopy.scorel] : []), ...presets].some((folder) =>
    FILES.some((end) => existsSync(join(folder, "extensions", plugin + end))),
  );
}
