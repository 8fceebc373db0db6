import { existsSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { ReadyTool } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { PermissionsConfig } from "./config.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import type { Case } from "./verdict.ts";

type Unknown = PermissionsConfig["unknown"];

const FILES = [".ts", ".mts", ".js", ".mjs", ""];

/** What a tool declares about a call. */
export type Declared = Pick<Case, "access" | "approval" | "reads" | "about" | "standsIn">;

interface Limits {
  workspace: Workspace;
  /** Names of the project's tools whose declarations are believed. */
  readers: readonly string[];
  /** How calls of tools that Scorel does not ship are approved. */
  unknown?: Unknown | undefined;
}

/**
 * Reduces what a tool declares to what is believed. A tool from a project could claim to be harmless, so its claim
 * counts only when the user lists it in `readers`. Otherwise the call counts as `exclusive` and asks, even if the tool
 * has the name of one of Scorel's. `unknown` can make all tools that Scorel does not ship ask, or be denied.
 */
export function believed(
  declared: Declared,
  { name, plugin }: Pick<ReadyTool, "name" | "plugin">,
  { workspace, readers, unknown }: Limits,
): Declared {
  const isDoubted = !readers.includes(name) && isOfProject(plugin, workspace);
  const isOwn = OWN_TOOLS.includes(name);
  const approval = isDoubted && declared.approval === "free" ? undefined : declared.approval;
  return {
    ...declared,
    ...(isDoubted && isOwn && { standsIn: true }),
    access: isDoubted ? "exclusive" : declared.access,
    approval: isOwn && !isDoubted ? approval : restricted(approval, unknown),
  };
}

function restricted(approval: Case["approval"], unknown: Unknown | undefined): Case["approval"] {
  if (unknown === "deny") return approval === "always-ask" ? approval : "by-rule";
  return unknown === "ask" ? (approval === "always-ask" ? approval : "ask") : approval;
}

/** Whether a plugin is an extension of the project, or of a preset inside the project. An extension's id is its file name. */
function isOfProject(plugin: string, { trusted, trustedCopy, packages = [] }: Workspace): boolean {
  if (trusted === undefined) return false;
  const presets = packages.filter(({ folder }) => isWithin(trusted, folder)).map(({ root }) => root);
  return [trusted, ...(trustedCopy ? [trustedCopy.scorel] : []), ...presets].some((folder) =>
    FILES.some((end) => existsSync(join(folder, "extensions", plugin + end))),
  );
}
