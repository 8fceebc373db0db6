import type { DisplayAction } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import type { Agents } from "./agents/agents.ts";
import { listForModel } from "./agents/listing.ts";
import type { BackgroundTasks } from "./background.ts";
import { type Context, KIND, type TaskParams } from "./context.ts";
import type { TaskDetails } from "./contract.ts";
import type { Places } from "./places.ts";

const parameters = z.object({
  description: z.string().min(1).describe("The task in three to six words."),
  prompt: z.string().min(1).describe("All that the subagent has to know and do, and what it should report."),
  agent: z
    .string()
    .optional()
    .describe("The kind of subagent, as listed above. Without it, the subagent works as you do."),
  isolation: z
    .enum(["worktree"])
    .optional()
    .describe(
      "worktree: the subagent works in its own git worktree, which starts from the last commit. Its changes are handed back as a branch.",
    ),
  background: z
    .boolean()
    .optional()
    .describe("Answer at once: you continue meanwhile, and the report comes as a message when the subagent is done."),
});

const WHAT =
  "Give a task to a subagent, which works alone in this directory with your tools and permissions, and answers with a report. It does not know this conversation. Use it for long searches of which you only need the outcome, and for independent parts of the work; calls of one reply run at the same time.";

interface TaskParts {
  places: Places;
  agents: Agents;
  background: BackgroundTasks;
}

/** Creates the tool Task. The code that runs a subagent is loaded with the first call. */
export function createTask(ctx: Context, { places, agents, background }: TaskParts): Tool<TaskParams> {
  // The session of a subagent ends with its turn, and with it what works in the background there. So its calls wait for their reports.
  const endsWithTurn = (ctx.session.header.meta as { kind?: unknown }).kind === KIND;
  return {
    name: "Task",
    description: `${WHAT}\n\n${listForModel(agents, (text) => ctx.find("secrets")?.redact(text) ?? text)}`,
    parameters: endsWithTurn ? parameters.omit({ background: true }) : parameters,
    // The call itself needs no approval. The subagent's calls do, and the questions are asked in this session.
    approval: "free",
    access: () => "read",
    async execute(toolCallId, params, signal = ctx.signal, onUpdate) {
      const agent = params.agent === undefined ? undefined : agents.get(params.agent);
      if (agent) agents.checkTools(ctx, agent);
      const call = { toolCallId, params, agent, signal, onUpdate };
      if (!endsWithTurn && (params.background ?? agent?.background)) return await background.start(call);
      const { runTask } = await import("./run.ts");
      return await runTask(ctx, places, call);
    },
    display,
  };
}

/** Accepts arguments that a model has left out. */
function display({ description = "", agent }: Partial<TaskParams>, result: ToolOutput | undefined): DisplayAction {
  const { sessionId } = (result?.details ?? {}) as Partial<TaskDetails>;
  const about = [
    ...(agent === undefined ? [] : [lineOf(agent)]),
    ...(sessionId === undefined ? [] : [`session ${sessionId}`]),
  ];
  const title = `Task: ${lineOf(String(description))}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
  const text = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? "";
  const card = { display: "card" as const, title, ...(sessionId !== undefined && { session: sessionId }) };
  if (result === undefined) return { ...card, status: "running", text };
  if (result.isError) return { ...card, status: "error", text };
  return { ...card, status: "done", text: "", body: [{ display: "bubble", role: "assistant", text }] };
}
