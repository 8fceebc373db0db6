import type {} from "@scorel/agent/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/local/contract";
import type { Tool } from "@scorel/tools/contract";
import type {} from "@scorel/workspace/contract";
import { createEnvironment } from "./environment.ts";
import { fileCoverage } from "./files/coverage.ts";
import { createEdit } from "./files/edit.ts";
import { createRead } from "./files/read.ts";
import { createWrite } from "./files/write.ts";
import { operations } from "./operations.ts";
import { createGlob } from "./search/glob.ts";
import { createGrep } from "./search/grep.ts";
import { backgroundCommands } from "./shell/background-notices.ts";
import { BackgroundCommands } from "./shell/background-work.ts";
import { createBash } from "./shell/bash.ts";
import { openShellLines, shellEvents, untoldShellLines } from "./shell/shell-events.ts";
import type { ShellLines } from "./shell/shell-lines.ts";
import { createTodoWrite, todos } from "./todo.ts";

/** Milliseconds that killing commands may delay the end of their session. */
const CLOSE_LIMIT_MS = 3_000;

/** The tools of a coding agent, and a guard for the files that control it. */
export default definePlugin({
  id: "coding",
  name: "Coding tools",
  version: "0.1.0",
  needs: ["agent", "files", "processes"],
  events: shellEvents,
  projections: { backgroundCommands, fileCoverage, todos, openShellLines, untoldShellLines },
  // `--allow-write` is an option of every command.
  sessionOptions: () => [
    { key: "allowWrite", kind: "texts", widens: true },
    { key: "environment", kind: "texts", widens: true },
  ],

  activate(ctx) {
    const env = createEnvironment(ctx);
    const background = new BackgroundCommands(ctx, env);
    let shellLines: Promise<ShellLines> | undefined;
    const lines = () => (shellLines ??= import("./shell/shell-lines.ts").then((made) => new made.ShellLines(ctx, env)));
    const endCommands = async () => {
      // Ends shell lines before other commands, since their results have to be stored.
      await (await shellLines)?.endAll();
      const ends = [...env.running];
      // Each command is killed once: one that could not be killed would delay the end of the session again.
      env.running.clear();
      const failed = (thrown: unknown) =>
        ctx.report("ending a command", thrown, ctx.providerOf("processes", "start") ?? ctx.plugin);
      await Promise.all(ends.map((end) => end(CLOSE_LIMIT_MS).catch(failed)));
    };
    ctx.beforeStop(endCommands);
    ctx.onDispose(async () => {
      await endCommands();
      for (const end of env.atEnd) end();
    });
    return {
      tools(): Tool[] {
        const onFiles = [createRead, createEdit, createWrite].map((create) => create(env) as Tool);
        return [...onFiles, createBash(env, background.get), createGlob(env), createGrep(env), createTodoWrite()];
      },
      backgroundWork: background,
      operations: operations(ctx, lines),
      async onEvent({ type }) {
        const isLeft = (name: "openShellLines" | "untoldShellLines") => ctx.session.projection(name).length > 0;
        // After a turn, and for commands of an earlier process.
        if (type === "session_start" || type === "runtime_end") await background.tellBetweenTurns();
        const mayBeLeft = type === "session_start" || type === "session_abandoned";
        if (mayBeLeft && (isLeft("openShellLines") || isLeft("untoldShellLines"))) await (await lines()).recover();
      },
      hooks: {
        transformContext: (messages) => background.tellEnded().then(() => messages),
        approveToolCall: {
          critical: true,
          level: "early",
          handler: async (call) => (await import("./guard/guard.ts")).guardWrites(call, env, ctx),
        },
      },
    };
  },
});
