import type { TurnOutcome } from "@scorel/agent/contract";
import type { Client, Delivered } from "@scorel/host/contract";
import { type AnyEvent, isEvent, type Transients } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { onAbort } from "@scorel/kit/values/abort";
import type { ToolOutput } from "@scorel/tools/contract";
import type { SessionOptions } from "@scorel/workspace/contract";
import type { FinishedWorktree } from "@scorel/worktrees/contract";
import { type FirstMessage, messageFor } from "./agents/narrowing.ts";
import { type Context, KIND, type TaskParams } from "./context.ts";
import type { AgentDefinition, TaskDetails } from "./contract.ts";
import { errors } from "./errors.ts";
import { optionsOf } from "./options.ts";
import type { Places } from "./places.ts";
import { Progress } from "./progress.ts";
import { placeFor, type WorkPlace, wordsAbout } from "./worktree.ts";

/** Most characters of a report. */
const REPORT = 30_000;
/** Most characters of the name of a subagent's session. */
const NAME = 80;

export interface TaskCall {
  toolCallId: string;
  params: TaskParams;
  /** The subagent's definition. */
  agent: AgentDefinition | undefined;
  signal: AbortSignal;
  onUpdate: ((partial: ToolOutput) => void) | undefined;
}

/** A subagent that has started. */
export interface BegunTask {
  details: TaskDetails;
  /** Its report. Rejects when the signal of the call aborts. */
  report: Promise<ToolOutput>;
}

/** Waits for a place, and runs a subagent until its turn has ended. */
export async function runTask(ctx: Context, places: Places, call: TaskCall): Promise<ToolOutput> {
  const leave = await places.take(call.signal);
  try {
    const { report } = await beginTask(ctx, call);
    return await report;
  } finally {
    leave();
  }
}

/** Opens the session of a subagent, and starts its work. */
export async function beginTask(ctx: Context, call: TaskCall): Promise<BegunTask> {
  const { params, agent } = call;
  const client = ctx.host.connect();
  let place: WorkPlace | undefined;
  try {
    const message = messageFor(ctx, params.prompt, agent);
    const options = optionsOf(ctx, agent);
    place = await placeFor(ctx, params, agent);
    const sessionId = await openChild(client, ctx, call, { ...options, cwd: place.cwd });
    const report = workToEnd(client, ctx, { ...call, sessionId, message }, place);
    return {
      details: { ...detailsOf(sessionId, agent), ...(place.path !== undefined && { path: place.path }) },
      report,
    };
  } catch (thrown) {
    await place?.finish("");
    await client.close();
    throw thrown;
  }
}

async function workToEnd(client: Client, ctx: Context, begun: Begun, place: WorkPlace): Promise<ToolOutput> {
  const { sessionId } = begun;
  let output: ToolOutput;
  let ended: FinishedWorktree | undefined;
  try {
    output = await work(client, ctx, begun);
  } finally {
    // Closed before the folder is removed. Closing fails if the host has ended, but then the session is closed anyway.
    await client.request("close_session", { sessionId }).catch(() => {});
    ended = await place.finish(sessionId);
    await client.close();
  }
  return withWorktree(output, ended);
}

/** A subagent's session, and its first message. */
type Begun = TaskCall & { sessionId: string; message: FirstMessage };

async function work(client: Client, ctx: Context, begun: Begun): Promise<ToolOutput> {
  const { sessionId, message, agent, params, signal, onUpdate } = begun;
  await ctx.requests.forward(client, sessionId, { label: nameFrom(params.description), signal });
  const progress = new Progress(detailsOf(sessionId, agent), (partial) => onUpdate?.(partial));
  const hear = ({ event }: Delivered) => {
    progress.take(event);
    // Passed on, so that people who follow the parent see how to allow it.
    if (isEvent(event, "permission_denied")) ctx.session.emit("permission_denied", deniedIn(event));
  };
  await client.subscribe(sessionId, hear, { joined: true });
  progress.show();
  signal.throwIfAborted();
  const { id } = await client.request("send_message", { sessionId, ...message });
  const ended = client.request("wait_turn", { sessionId, id });
  let cancelled: Promise<unknown> | undefined;
  const ignore = onAbort(signal, () => {
    cancelled = client.request("cancel", { sessionId });
    // Ignored here: if the host ends, waiting for the turn below fails in the same way.
    cancelled.catch(() => {});
  });
  try {
    const outcome = await ended;
    await cancelled;
    return outputOf(outcome, detailsOf(sessionId, agent));
  } finally {
    ignore();
    progress.stop();
  }
}

const detailsOf = (sessionId: string, agent: AgentDefinition | undefined): TaskDetails => {
  return { sessionId, ...(agent && { agent: agent.name }) };
};

async function openChild(
  client: Client,
  { session, workspace }: Context,
  { toolCallId, params }: TaskCall,
  options: SessionOptions & { cwd: string },
): Promise<string> {
  const { sessionId } = await client.request("create_session", {
    ...options,
    ...{ kind: KIND, name: nameFrom(params.description) },
    parent: { sessionId: session.id, toolCallId },
    ...(workspace.file === undefined && { unsaved: true }),
  });
  return sessionId;
}

type Denied = AnyEvent & Transients["permission_denied"];

const deniedIn = ({
  tool,
  what,
  rules,
  why,
  mode,
  inEveryMode,
  locked,
  allowedBy,
}: Denied): Transients["permission_denied"] => {
  const known = { ...(inEveryMode && { inEveryMode }), ...(locked && { locked }), ...(allowedBy && { allowedBy }) };
  return { tool, what, rules, why, mode, ...known };
};

const nameFrom = (description: string) => [...lineOf(description)].slice(0, NAME).join("") || "subagent";

/** The result of the call: the last text of the subagent, and its usage. */
function outputOf(outcome: TurnOutcome, details: TaskDetails): ToolOutput {
  const { text, usage } = outcome;
  const { sessionId } = details;
  const failure = failureIn(outcome, sessionId);
  const said = bounded(text);
  const words = failure ? [said, failure.message].filter((each) => each.trim() !== "").join("\n\n") : said;
  return {
    content: [{ type: "text", text: words }],
    details,
    isError: failure !== undefined,
    usage: { ...usage, sessionId },
  };
}

function withWorktree(output: ToolOutput, ended: FinishedWorktree | undefined): ToolOutput {
  if (!ended) return output;
  const told = { type: "text" as const, text: wordsAbout(ended) };
  return {
    ...output,
    content: [...output.content, told],
    details: { ...(output.details as TaskDetails), worktree: ended },
  };
}

function failureIn({ reason, error, text }: TurnOutcome, sessionId: string): Error | undefined {
  if (reason === "cancelled") return errors.SUBAGENT_CANCELLED({ sessionId });
  if (error) return errors.SUBAGENT_FAILED({ sessionId, reason: error.message });
  return text.trim() === "" ? errors.SUBAGENT_SILENT({ sessionId }) : undefined;
}

function bounded(text: string): string {
  if (text.length <= REPORT) return text;
  const kept = text.slice(0, REPORT).replace(/[\ud800-\udbff]$/, "");
  return `${kept}\n[${text.length - REPORT} more characters of this report were left out. Ask for a shorter one.]`;
}
