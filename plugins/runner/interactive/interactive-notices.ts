import {
  type AppendEntry,
  isEvent,
  type ProjectionDefinition,
  type Projections,
  type StoredEvent,
} from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { z } from "zod";
import type { SessionAnswer } from "../contract.ts";
import type { InteractiveRuns } from "./interactive-runs.ts";

type Known = Projections["interactiveRuns"];

const COMMAND_CHARS = 200;
const TOOLS = ["skill_run", "skill_session"];
const details = z.object({
  interactiveRun: z.object({ id: z.string(), skill: z.string(), command: z.string(), ended: z.boolean() }),
});
const told = z.object({ interactiveRunsTold: z.array(z.string()) });

/** The details about the program that a tool result keeps besides its text. */
export function detailsOf(
  { session_id: id, status }: SessionAnswer,
  { skill, command }: { skill: string; command: string },
): z.output<typeof details> {
  return { interactiveRun: { id, skill, command: command.slice(0, COMMAND_CHARS), ended: status === "exited" } };
}

/** Programs that the model believes are running: results on the path say so, and nothing says that they have ended. */
export const interactiveRuns: ProjectionDefinition<Known> = {
  over: "path",
  reads: [
    { type: "message", containing: '"interactiveRun"' },
    { type: "harness_item", containing: '"interactiveRunsTold"' },
  ],
  init: () => ({}),
  update(state, event: StoredEvent) {
    if (isEvent(event, "harness_item")) {
      const { data } = told.safeParse(event.data, { jitless: true });
      return data ? without(state, data.interactiveRunsTold) : state;
    }
    if (!isEvent(event, "message")) return state;
    const { message } = event;
    if (message.role !== "tool_result" || !TOOLS.includes(message.toolName)) return state;
    const { data } = details.safeParse(message.details, { jitless: true });
    if (!data) return state;
    const { id, ended, ...run } = data.interactiveRun;
    return ended ? without(state, [id]) : { ...state, [id]: run };
  },
};

function without(state: Known, ids: readonly string[]): Known {
  return Object.fromEntries(Object.entries(state).filter(([id]) => !ids.includes(id)));
}

/**
 * A notice for the model about programs that it believes are running, but that have ended or no longer exist; undefined
 * if there are none.
 */
export function endedNotice(known: Known, runs: InteractiveRuns | undefined): AppendEntry | undefined {
  const over = Object.entries(known).filter(([id]) => runs?.endOf(id) !== "running");
  if (over.length === 0) return undefined;
  const lines = over.map(([id, { skill, command }]) => {
    const name = `The interactive program ${id} (${skill}: ${command})`;
    return runs?.endOf(id)
      ? `${name} has ended; skill_session gives its result.`
      : `${name} no longer runs here: the session was closed before it ended, or this is a copy of it. No files were collected; start it again if it is still needed.`;
  });
  const ids = over.map(([id]) => id);
  const payload = {
    kind: "runtime_notice",
    origin: "tool",
    visibility: "both",
    text: lines.join("\n"),
    data: { interactiveRunsTold: ids },
  } as const;
  return { type: "harness_item", payload };
}
