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
import { createInteractive } from "./interactive/interactive.ts";
import { interactiveRuns } from "./interactive/interactive-notices.ts";
import { skillSession } from "./interactive/session-tool.ts";
import { createDirectRuns, operations } from "./operations.ts";
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
    const { reportEnded, runs } = createInteractive(ctx);
    const tell = async <M>(messages: M) => reportEnded().then(() => messages);
    if (ctx.find("agent")) {
      ctx.hook("transformContext", tell);
      ctx.hook("afterToolCall", stageAhead(ctx));
    }
    const direct = createDirectRuns(ctx);
    return {
      // Without skills, as in some presets, there is nothing to run.
      tools: () =>
        ctx.find("skills")?.look.skills.length ? [skillRun(ctx, runs) as Tool, skillSession(runs) as Tool] : [],
      operations: () => operations(ctx, direct),
    };
  },
});
