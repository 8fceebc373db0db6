import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { RunnerContext } from "../config.ts";
import type { Steps } from "../run/steps.ts";
import { inOpenFolder, remove } from "./open-folder.ts";

/** A workspace without a session is removed when it has not changed for this many milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/**
 * The folder of the session's workspace, the same each time the session is opened. A session without a log file gets a
 * temporary one.
 */
export function workspaceFolder(ctx: Pick<RunnerContext, "session" | "find" | "report">, steps?: Steps): string {
  const folder = workspacePath(ctx);
  const home = ctx.find("workspace")?.home;
  if (!existsSync(folder)) {
    makeFolder(folder);
    if (home !== undefined && existsSync(join(home, ".scorel/workspaces")))
      sweep(realpathSync(join(home, ".scorel")), ctx, steps);
  }
  return realpathSync(folder);
}

/** Creates a private folder for one run. `remove` deletes it, whatever programs have done to it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const around = makeTemporaryFolder("scorel-run-");
  const path = join(around, "run");
  mkdirSync(path);
  return {
    path,
    remove() {
      inOpenFolder(around, around, "folder", (dir) => remove(dir, "run", around));
      rmdirSync(around);
    },
  };
}

/** The session's workspace if it exists; does not create it. */
export function existingWorkspace(ctx: Pick<RunnerContext, "session" | "find">): string | undefined {
  const folder = workspacePath(ctx);
  return existsSync(folder) ? realpathSync(folder) : undefined;
}

function workspacePath({ session, find }: Pick<RunnerContext, "session" | "find">): string {
  const workspace = find("workspace");
  const home = workspace?.home;
  if (home !== undefined && workspace?.file !== undefined) return join(home, ".scorel", "workspaces", session.id);
  return join(workspace?.temp ?? tmpdir(), "workspace");
}

/** Removes workspaces of sessions that are neither stored nor in the trash. */
function sweep(home: string, ctx: Pick<RunnerContext, "report">, steps: Steps | undefined): void {
  const all = join(home, "workspaces");
  const logs = [join(home, "sessions"), join(home, "trash")].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder) : [],
  );
  for (const name of readdirSync(all)) {
    const path = join(all, name);
    const remains = statSync(path, { throwIfNoEntry: false });
    const old = remains && Date.now() - remains.mtimeMs > KEPT_MS;
    if (!old || logs.some((log) => log.startsWith(name))) continue;
    const cleanup = () => inOpenFolder(all, all, "workspace", (dir) => remove(dir, name, all));
    try {
      if (steps) steps.record("workspace.cleanup", { exec_id: name, path }, cleanup);
      else cleanup();
    } catch (thrown) {
      ctx.report(`removing ${path}`, thrown);
    }
  }
}
