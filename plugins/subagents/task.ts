import type { DisplayAction } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import type { Context, TaskParams } from "./context.ts";
import type { TaskDetails } from "./contract.ts";
import type { Places } from "./places.ts";

const parameters = z.object({
  description: z.string().min(1).describe("The task in three to six words."),
  prompt: z.string().min(1).describe("All that the subagent has to know and do, and what it should report."),
});

/** The tool Task. What runs a subagent is loaded with the first call. */
export function createTask(ctx: Context, places: Places): Tool<TaskParams> {
  return {
    name: "Task",
    description:
      "Give a task to a subagent, which works alone in this directory with your tools and permissions, and answers with a report. It does not know this conversation. Use it for long searches of which you only need the outcome, and for independent parts of the work; calls of one reply run at the same time.",
    parameters,
    // Nothing is asked about the call itself: the subagent's own calls are asked about, in this session.
    approval: "free",
    access: () => "read",
    execute: async (toolCallId, params, signal, onUpdate) =>
      (await import("./run.ts")).runTask(ctx, places, { toolCallId, params, signal: signal ?? ctx.signal, onUpdate }),
    display,
  };
}

function display({ description }: TaskParams, result: ToolOutput | undefined): DisplayAction {
  const { sessionId } = (result?.details ?? {}) as Partial<TaskDetails>;
  const title = `Task: ${lineOf(description)}${sessionId === undefined ? "" : ` (session ${sessionId})`}`;
  const text = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? "";
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  return { display: "card", title, status, text };
}
