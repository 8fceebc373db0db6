import { readdirSync } from "node:fs";
import { join } from "node:path";
import type {} from "@scorel/agent/contract";
import { type BaseContext, definePlugin } from "@scorel/kernel";
import type { Tool } from "@scorel/tools/contract";
import type {} from "@scorel/workspace/contract";
import { createEnvironment } from "./environment.ts";
import { fileCoverage } from "./files/coverage.ts";
import { createEdit } from "./files/edit.ts";
import { createRead } from "./files/read.ts";
import { createWrite } from "./files/write.ts";
import { createGlob } from "./search/glob.ts";
import { createGrep } from "./search/grep.ts";
import { createBash } from "./shell/bash.ts";
import { createTodoWrite, todos } from "./todo.ts";

/** The tools of a coding agent, and a guard for the files that control it. */
export default definePlugin({
  id: "coding",
  name: "Coding tools",
  version: "0.1.0",
  needs: ["agent"],
  projections: { fileCoverage, todos },
  // `--allow-write` is an option of every command.
  sessionOptions: () => [{ key: "allowWrite", kind: "texts" }],

  activate(ctx) {
    const env = createEnvironment(ctx);
    const ended = endLeftBehind(ctx, join(env.workspace.home, ".scorel", "processes"));
    const endCommands = async () => void (await Promise.all([...env.running].map((end) => end())));
    ctx.beforeStop(endCommands);
    ctx.onDispose(async () => {
      await endCommands();
      for (const end of env.atEnd) end();
    });
    return {
      tools(): Tool[] {
        const onFiles = [createRead, createEdit, createWrite].map((create) => create(env) as Tool);
        return [...onFiles, createBash(env), createGlob(env), createGrep(env), createTodoWrite()];
      },
      hooks: {
        approveToolCall: {
          critical: true,
          level: "early",
          handler: async (call, signal) => (await import("./guard/guard.ts")).guardWrites(call, signal, env, ctx),
        },
      },
      dispose: () => ended,
    };
  },
});

/** Ends commands that a session left behind when its process was killed. */
function endLeftBehind(ctx: BaseContext, folder: string): Promise<void> | undefined {
  if (isEmpty(folder)) return undefined;
  const report = (thrown: unknown) => ctx.report("commands left behind", thrown);
  return import("@scorel/kit/process/ledger").then(({ endSurvivors }) => endSurvivors(folder, report));
}

/** Whether no session has recorded a running command. */
function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true; // No command was ever run.
  }
}
