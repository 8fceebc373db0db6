import type {} from "@scorel/agent/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/local/contract";
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
  needs: ["agent", "files", "processes"],
  projections: { fileCoverage, todos },
  // `--allow-write` is an option of every command.
  sessionOptions: () => [{ key: "allowWrite", kind: "texts", widens: true }],

  activate(ctx) {
    const env = createEnvironment(ctx);
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
    };
  },
});
