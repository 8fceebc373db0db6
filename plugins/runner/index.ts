import type {} from "@scorel/agent/contract";
import type {} from "@scorel/artifacts/contract";
import type {} from "@scorel/blobs/contract";
import type {} from "@scorel/diagnostics/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/model/contract";
import type {} from "@scorel/sandbox/contract";
import type {} from "@scorel/skills/contract";
import type { Tool } from "@scorel/tools/contract";
import { config } from "./config.ts";
import { interactiveOf } from "./interactive/interactive.ts";
import { interactiveRuns } from "./interactive/interactive-notices.ts";
import { skillSession } from "./interactive/session-tool.ts";
import { operations } from "./operations.ts";
import { skillRun } from "./run/tool.ts";
import { stageAhead } from "./staging/ahead.ts";
import { createRefs } from "./workspace/refs.ts";

/** Runs programs of skills in a workspace of the session, inside the sandbox. */
export default definePlugin({
  id: "runner",
  name: "Runner",
  version: "0.1.0",
  provides: ["refs"],
  config,
  projections: { interactiveRuns },

  activate(ctx) {
    ctx.provide("refs", createRefs(ctx));
    const { reportEnded } = interactiveOf(ctx);
    const tell = async <M>(messages: M) => reportEnded().then(() => messages);
    if (!ctx.find("agent")) return;
    ctx.hook("transformContext", tell);
    ctx.hook("afterToolCall", stageAhead(ctx));
  },

  tools(ctx) {
    // Without skills, as in some presets, there is nothing to run.
    if ((ctx.find("skills")?.look.skills.length ?? 0) === 0) return [];
    const { runs } = interactiveOf(ctx);
    return [skillRun(ctx, runs) as Tool, skillSession(runs) as Tool];
  },

  operations: (ctx) => operations(ctx),
});
