import {
  type DisplayAction,
  type EventDefinition,
  type EventOf,
  type Events,
  isEvent,
  type ProjectionDefinition,
  type TransientDefinition,
  type TransientOf,
  type Transients,
} from "@scorel/kernel";
import type { UserMessage } from "@scorel/messages/contract";
import { z } from "zod";

const isTrue = z.literal(true).optional();
const eventId = z.string().min(1);
const inFlight = { work: "shell", id: "eventId" } as const;

/**
 * A shell line with its output. During a turn it is a side event, since only the turn may continue the conversation.
 */
const shellLine: EventDefinition<Events["shell_line"]> = {
  schema: z.strictObject({
    command: z.string(),
    output: z.string(),
    exitCode: z.number().nullable(),
    durationMs: z.number(),
    failed: isTrue,
    silent: isTrue,
    aside: isTrue,
  }),
  durable: true,
  leaf: (event: EventOf<"shell_line">, current) => (event.aside ? current : event.id),
  leafReads: '"aside"',
  inFlight: { work: "shell", id: "id", effect: "end" },
  convertToLlm: (event: EventOf<"shell_line">) =>
    event.silent || event.aside ? { action: "skip" } : { action: "include", message: messageFor(event) },
  convertToDisplay: (event: EventOf<"shell_line">) => ({
    display: "card",
    title: titleOf(event),
    status: event.failed ? "error" : "done",
    text: withTime(event),
  }),
};

/** Records that a command is running, in case the host ends before it can store the result. */
const shellBegun: EventDefinition<Events["shell_begun"]> = {
  schema: z.strictObject({ line: eventId, command: z.string(), silent: isTrue, hash: z.string().optional() }),
  durable: true,
  leaf: (_event, current) => current,
  convertToLlm: () => ({ action: "skip" }),
  convertToDisplay: () => ({ display: "hidden" }),
};

/** Adds a shell line that was stored as a side event to the conversation. */
const shellTold: EventDefinition<Events["shell_told"]> = {
  schema: z.strictObject({ line: eventId }),
  durable: true,
  convertToLlm(event: EventOf<"shell_told">, context) {
    const line = context.get(event.line);
    return isEvent(line, "shell_line") ? { action: "include", message: messageFor(line) } : { action: "skip" };
  },
  convertToDisplay: () => ({ display: "hidden" }),
};

const started: TransientDefinition<Transients["shell_line_start"]> = {
  transient: true,
  schema: z.strictObject({ eventId, command: z.string(), silent: isTrue }),
  inFlight,
  convertToDisplay: (event: TransientOf<"shell_line_start">): DisplayAction => ({
    display: "card",
    title: titleOf(event),
    status: "running",
    text: "",
  }),
};

const updated: TransientDefinition<Transients["shell_line_update"]> = {
  transient: true,
  schema: z.strictObject({ eventId, partial: z.unknown() }),
  inFlight: { ...inFlight, effect: "replace" },
};

const ended: TransientDefinition<Transients["shell_line_end"]> = {
  transient: true,
  schema: z.strictObject({ eventId }),
  inFlight: { ...inFlight, effect: "end" },
};

export const shellEvents = {
  shell_begun: shellBegun,
  shell_line: shellLine,
  shell_told: shellTold,
  shell_line_start: started,
  shell_line_update: updated,
  shell_line_end: ended,
};

/** Shell lines whose commands are still running. */
export const openShellLines: ProjectionDefinition<
  readonly Pick<Events["shell_begun"], "line" | "command" | "silent">[]
> = {
  over: "log",
  reads: ["shell_begun", "shell_line"],
  init: () => [],
  update(state, event: { type: string; id: string } & Partial<Events["shell_begun"]>) {
    const { line = "", command = "", silent } = event;
    if (event.type === "shell_begun") return [...state, { line, command, ...(silent && { silent }) }];
    return state.filter((open) => open.line !== event.id);
  },
};

/** Shell lines that were stored as side events and that the model does not have yet. */
export const untoldShellLines: ProjectionDefinition<readonly string[]> = {
  over: "log",
  reads: [{ type: "shell_line", containing: '"aside"' }, "shell_told"],
  init: () => [],
  update(state, event: { type: string; id: string; aside?: true; silent?: true; line?: string }) {
    if (event.type === "shell_told") return state.filter((id) => id !== event.line);
    return event.aside && !event.silent ? [...state, event.id] : state;
  },
};

function titleOf({ command, silent }: { command: string; silent?: true }): string {
  return `${silent ? "!!" : "!"} ${command}`;
}

/** The output, with the duration added to its last line, which says how the command ended. */
function withTime({ output, durationMs }: Events["shell_line"]): string {
  if (durationMs === 0) return output;
  return output.trimEnd().replace(/\]$/, `, ${(durationMs / 1000).toFixed(1)} s]`);
}

/** The message to the model: the user says which command they ran, and what it printed. */
function messageFor({ command, output, ts }: EventOf<"shell_line">): UserMessage {
  return {
    role: "user",
    content: `I have run this command in the shell myself, and this is its output:\n\n$ ${command}\n${output}`,
    timestamp: ts,
  };
}
