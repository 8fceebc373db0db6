import type { AppendEntry, EventOf, ProjectionDefinition, Projections, StoredEvent } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type {} from "@scorel/messages/contract";
import { z } from "zod";
import type { Background } from "./background.ts";
import type { Ended } from "./command.ts";
import { outcomeOf } from "./outcome.ts";

type Known = Projections["backgroundCommands"];

const COMMAND_CHARS = 200;
const details = z.object({
  backgroundCommand: z.object({ id: z.string(), command: z.string(), state: z.enum(["running", "ended"]) }),
});
const told = z.object({ backgroundCommandsEnded: z.array(z.string()) });

/** The details about a background command that a result of Bash keeps besides its text. */
export function detailsOf(id: string, command: string, state: "running" | "ended"): z.output<typeof details> {
  return { backgroundCommand: { id, command: lineOf(command).slice(0, COMMAND_CHARS), state } };
}

/** Commands that the model believes are running: a result on the path says so, and nothing says that they have ended. */
export const backgroundCommands: ProjectionDefinition<Known> = {
  over: "path",
  reads: [
    { type: "message", containing: '"backgroundCommand"' },
    { type: "harness_item", containing: '"backgroundCommandsEnded"' },
  ],
  init: () => ({}),
  update(known, event: StoredEvent) {
    if (event.type === "harness_item") {
      const { data } = told.safeParse((event as EventOf<"harness_item">).data, { jitless: true });
      return data ? without(known, data.backgroundCommandsEnded) : known;
    }
    const { message } = event as EventOf<"message">;
    if (message.role !== "tool_result" || message.toolName !== "Bash") return known;
    const { data } = details.safeParse(message.details, { jitless: true });
    if (!data) return known;
    const { id, command, state } = data.backgroundCommand;
    if (state === "ended") return without(known, [id]);
    return known[id] ? known : { ...known, [id]: { command, eventId: event.id } };
  },
};

function without(known: Known, ids: readonly string[]): Known {
  return Object.fromEntries(Object.entries(known).filter(([id]) => !ids.includes(id)));
}

/**
 * A notice about commands that the model believes are running, but that have ended or no longer exist; undefined if there are none. It
 * also changes the cards of the calls that started them.
 */
export function endedNotice(known: Known, background: Pick<Background, "endOf"> | undefined): AppendEntry | undefined {
  const over = Object.entries(known).flatMap(([id, { command, eventId }]) => {
    const end = background?.endOf(id);
    return end === "running" ? [] : [{ id, command, eventId, end }];
  });
  if (over.length === 0) return undefined;
  const payload = {
    kind: "runtime_notice",
    origin: "tool",
    visibility: "both",
    text: over.map(({ id, command, end }) => `The background command ${id} ($ ${command}) ${sentence(end)}`).join("\n"),
    data: {
      level: over.every(({ end }) => end && isGood(end.ended)) ? "info" : "warning",
      backgroundCommandsEnded: over.map(({ id }) => id),
      cards: Object.fromEntries(over.map(({ eventId, end }) => [eventId, cardOf(end)])),
    },
  } as const;
  return { type: "harness_item", payload };
}

type End = Exclude<ReturnType<Background["endOf"]>, "running">;

function sentence(end: End): string {
  if (!end)
    return "no longer runs here: the session was closed before it ended, or this is a copy of it. Start it again if it is still needed.";
  return `has ended: ${wordsOf(end)}. Bash with poll gives its output.`;
}

function cardOf(end: End): { status: "done" | "error"; text: string } {
  if (!end) return { status: "error", text: "[no longer runs: the session was closed before it ended]" };
  return { status: isGood(end.ended) ? "done" : "error", text: `[${wordsOf(end)}]` };
}

/** A cancelled command was stopped by a person: if the model stopped it, the tool result says so. */
function wordsOf({ ended, seconds }: Exclude<End, undefined>): string {
  return ended.ended === "cancelled" && ended.unkilled === undefined
    ? "stopped by the user"
    : outcomeOf(ended, seconds);
}

const isGood = ({ ended, exitCode }: Ended) => ended === undefined && exitCode === 0;
