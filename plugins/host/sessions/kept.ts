import { existsSync } from "node:fs";
import type { SessionOption, SessionOptions, Workspace } from "@scorel/workspace/contract";
import { optionsOf } from "../session-options.ts";
import { canonicalDirectory } from "../workspace.ts";
import { differing, type OpenSession } from "./open-session.ts";
import { isIdle } from "./reload.ts";

/** Whether only keepers have the session open, and closing it would neither end nor lose anything. */
export function isOnlyKept(session: OpenSession): boolean {
  const { file } = session.workspace;
  return isUnused(session) && file !== undefined && existsSync(file);
}

/** Whether only keepers have the session open, and nothing runs in it. */
export function isUnused({ kernel, stream, users }: OpenSession): boolean {
  if (users.size === 0 || [...users].some(({ isKeeper }) => isKeeper !== true)) return false;
  if (!isIdle({ kernel }) || stream.questions.length > 0) return false;
  return !stream.runsShellLines && !hasBackground(kernel);
}

function hasBackground(kernel: OpenSession["kernel"]): boolean {
  return kernel
    .collect("backgroundWork")
    .some(({ plugin, value }) =>
      kernel.attempt({ plugin, where: "backgroundWork", otherwise: false }, () => value.list().length > 0),
    );
}

/** Whether the session was opened with these options and no others. */
export function isOpenedWith(options: SessionOptions, workspace: Workspace, known: readonly SessionOption[]): boolean {
  const { allowWrite: _folders, attending: _attending, environment, ...others } = workspace;
  const given = optionsOf(options, known);
  const isLess = Object.keys(optionsOf(others, known)).some((key) => !Object.hasOwn(given, key));
  const folders = (options.allowWrite ?? []).map(canonicalDirectory);
  const hasMoreFolders = workspace.allowWrite.some((path) => !folders.includes(path));
  const hasSameVariables = variablesIn(options.environment) === variablesIn(environment);
  return hasSameVariables && !isLess && !hasMoreFolders && differing(workspace, options, known).length === 0;
}

/** Variables that shells change by themselves, so that they differ between two commands of one terminal. */
const OF_SHELL = /^(?:_|OLDPWD|PWD|SHLVL)=/;

/** The environment as text, for comparison. */
function variablesIn(environment: SessionOptions["environment"]): string {
  return JSON.stringify(environment?.filter((text) => !OF_SHELL.test(text)) ?? null);
}
