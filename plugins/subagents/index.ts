import type {} from "@scorel/commands/contract";
import type {} from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import type {} from "@scorel/requests/contract";
import type {} from "@scorel/workspace/contract";
import { z } from "zod";
import { Agents } from "./agents/agents.ts";
import { listForPeople } from "./agents/listing.ts";
import { BackgroundTasks } from "./background.ts";
import { backgroundTasks } from "./background-projection.ts";
import type {} from "./contract.ts";
import { childLimits, depthOf, MOST_DEPTH } from "./depth.ts";
import { Places } from "./places.ts";
import { createTask } from "./task.ts";

/** Plugin `subagents`: the tool Task, which gives a task to a session of its own. */
export default definePlugin({
  id: "subagents",
  name: "Subagents",
  version: "0.1.0",
  needs: ["host", "requests", "ui", "workspace"],
  config: z
    .strictObject({
      parallel: z
        .int()
        .min(1)
        .max(16)
        .default(4)
        .describe(
          "how many subagents of a session work at a time; further ones wait, and those in the background are refused",
        ),
    })
    .prefault({}),

  projections: { backgroundTasks },

  async activate(ctx) {
    const agents = await Agents.of(ctx);
    for (const flaw of agents.flaws) ctx.report("", flaw);
    const depth = depthOf(ctx.workspace.parent);
    const places = new Places(ctx.config.parallel);
    const background = new BackgroundTasks(ctx, places);
    ctx.onDispose(() => background.ended());
    ctx.subscribe(({ type }) => (type === "session_start" ? background.reportInterrupted() : undefined), {
      joined: true,
    });
    return {
      childLimits: () => childLimits(depth),
      backgroundWork: background,
      // Sessions at the greatest depth are not offered the tool, since they could not use it.
      tools: depth < MOST_DEPTH ? [createTask(ctx, { places, agents, background })] : [],
      commands: () => ({
        agents: {
          group: "Session",
          summary: "List the agents that subagents can work as",
          operations: ["list_commands"],
          args: z.object({}),
          run: () => listForPeople(agents),
        },
      }),
    };
  },
});
