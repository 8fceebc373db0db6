import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import type { RunnerContext } from "./config.ts";
import { inHeld, remove } from "./held.ts";
import type { Steps } from "./steps.ts";

/** A workspace of a session that is gone for so long is removed. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** The folder of the session's workspace, the same whenever it is opened. A session that is not stored has a passing one. */
export function workspaceFolder(ctx: Pick<RunnerContext, "session" | "find" | "report">, steps?: Steps): string {
  const folder = workspacePath(ctx);
  const home = ctx.find("workspace")?.home;
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (home !== undefined && existsSync(join(home, ".scorel/workspaces")))
      sweep(realpathSync(join(home, ".scorel")), ctx, steps);
  }
  return realpathSync(folder);
}

/** A new private folder for one run, and what removes it, whatever its programs made of it. */
export function passingFolder(): { path: string; remove(): void } {
  const around = makeTemporaryFolder("scorel-run-");
  const path = join(around, "run");
  mkdirSync(path);
  return {
    path,
    remove() {
      inHeld(around, around, "folder", (held) => remove(held, "run", around));
      rmdirSync(around);
    },
  };
}

/** The same folder, also before anything was run in it. */
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

/** Removes what belongs to sessions that are neither stored nor in the trash any more. */
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
    const cleanup = () => inHeld(all, all, "workspace", (held) => remove(held, name, all));
    try {
      if (steps) steps.take("workspace.cleanup", { exec_id: name, path }, cleanup);
      else cleanup();
    } catch (thrown) {
      ctx.report(`removing ${path}`, thrown);
    }
  }
}
