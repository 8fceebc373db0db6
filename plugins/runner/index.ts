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
import { createRefs } from "./refs.ts";
import { skillRun } from "./tool.ts";

/** Runs programs of skills in a workspace of the session, in the sandbox. */
export default definePlugin({
  id: "runner",
  name: "Runner",
  version: "0.1.0",
  provides: ["refs"],
  config,

  activate(ctx) {
    ctx.provide("refs", createRefs(ctx));
  },

  // A preset may leave skills out: then there is nothing to run.
  tools: (ctx) => ((ctx.find("skills")?.look.skills.length ?? 0) > 0 ? [skillRun(ctx) as Tool] : []),
});
