import type { DisplayAction, EventDefinition, EventOf, Events, Projections, StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { z } from "zod";
import { SECTIONS } from "./parts.ts";

const section = z.enum(SECTIONS);
const source = z.strictObject({
  source: z.string(),
  priority: z.number(),
  bytes: z.number(),
  sha256: z.string().optional(),
});

const fields = {
  sections: z.array(z.strictObject({ name: section, sources: z.array(source), block: z.string() })),
  appended: z.string().optional(),
  date: z.string(),
  budget: z.number().optional(),
  cut: z.array(source.extend({ section })),
  skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
};
/** An appended snapshot was checked; a log that is opened may come from anywhere. */
const stored = z.object(fields);

/** Hangs beside the conversation: it counts on every branch, wherever it was written. */
export const instructionSnapshot: EventDefinition<Events["instruction_snapshot"]> = {
  schema: z.strictObject(fields),
  leaf: (_event, current) => current,
  convertToDisplay: display,
};

/** Says which files were read, and warns of what was not; nothing when there was none. */
function display({ sections, cut, skipped }: EventOf<"instruction_snapshot">): DisplayAction {
  const agents = sections.find(({ name }) => name === "agents")?.sources ?? [];
  const read = agents.map((each) => each.source).join(", ");
  const left = [
    ...cut.map((each) => `${each.source}: no room for its ${each.bytes} bytes`),
    ...skipped.map(({ path, reason }) => `${path}: ${reason}`),
  ];
  if (left.length > 0)
    return { display: "notice", level: "warning", text: `Not part of the instructions: ${left.join("; ")}` };
  return read === "" ? { display: "hidden" } : { display: "notice", level: "info", text: `Instructions: ${read}` };
}

type Instructions = Projections["instructions"];
type ToldDate = Projections["toldDate"];

/** Over the log, since the latest counts on every branch. */
export const instructions = {
  over: "log" as const,
  init: (): Instructions => ({}),
  update(state: Instructions, event: StoredEvent): Instructions {
    if (event.type === "instruction_snapshot") return isWhole(event) ? { snapshot: event } : state;
    const told = toldIn(event);
    return told === undefined ? state : { ...state, told };
  },
};

/** Over the path: a conversation that went back has not heard what was said later. A summary may have swallowed it. */
export const toldDate = {
  over: "path" as const,
  init: (): ToldDate => null,
  update(state: ToldDate, event: StoredEvent): ToldDate {
    if (event.type === "compact") return null;
    const date = (dataOf(event) as { date?: unknown } | undefined)?.date;
    return typeof date === "string" ? { date, seq: event.seq } : state;
  },
};

function isWhole(event: StoredEvent): event is EventOf<"instruction_snapshot"> {
  return stored.safeParse(event, { jitless: true }).success;
}

function toldIn(event: StoredEvent): string | undefined {
  const told = (dataOf(event) as { instructions?: unknown } | undefined)?.instructions;
  return typeof told === "string" ? told : undefined;
}

function dataOf(event: StoredEvent): unknown {
  if (event.type !== "harness_item") return undefined;
  const { origin, data } = event as EventOf<"harness_item">;
  return origin === "system" ? data : undefined;
}
