import {
  type DisplayAction,
  type EventDefinition,
  type EventOf,
  type Events,
  isEvent,
  type Projections,
  type StoredEvent,
} from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { z } from "zod";
import type { InstructionSnapshot } from "./contract.ts";
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
/** Lenient schema for reading: new snapshots are checked strictly, but a log may come from elsewhere. */
const stored = z.object(fields);

/** The event `instruction_snapshot`: a side event that applies on all branches. */
export const instructionSnapshot: EventDefinition<Events["instruction_snapshot"]> = {
  schema: z.strictObject(fields),
  leaf: (_event, current) => current,
  copied: "latest",
  convertToDisplay: display,
};

/** Shows which files were read, or warns about those that were not. */
function display(snapshot: EventOf<"instruction_snapshot">): DisplayAction {
  const left = leftOut(snapshot);
  if (left !== undefined) return { display: "notice", level: "warning", text: left };
  const agents = snapshot.sections.find(({ name }) => name === "agents")?.sources ?? [];
  const read = agents.map((each) => each.source).join(", ");
  return read === "" ? { display: "hidden" } : { display: "notice", level: "info", text: `Instructions: ${read}` };
}

/** Lists the parts that were left out of the prompt, and why; undefined when nothing is missing. */
export function leftOut({ cut, skipped }: InstructionSnapshot): string | undefined {
  const left = [
    ...cut.map(({ source, bytes }) => `${source}: no room for its ${bytes} bytes`),
    ...skipped.map(({ path, reason }) => `${path}: ${reason}`),
  ];
  return left.length > 0 ? `Not part of the instructions: ${left.join("; ")}` : undefined;
}

type Instructions = Projections["instructions"];
type ToldDate = Projections["toldDate"];

/** Projection `instructions`, over the whole log, since the latest snapshot applies on all branches. */
export const instructions = {
  over: "log" as const,
  reads: ["instruction_snapshot", "harness_item"],
  init: (): Instructions => ({}),
  update(state: Instructions, event: StoredEvent): Instructions {
    if (event.type === "instruction_snapshot") return isWhole(event) ? { snapshot: event } : state;
    const told = toldIn(event);
    return told === undefined ? state : { ...state, told };
  },
};

/** Projection `toldDate`, over the path: a rewind or compaction may have removed the announcement. */
export const toldDate = {
  over: "path" as const,
  reads: ["compact", "harness_item"],
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
  if (!isEvent(event, "harness_item")) return undefined;
  const { origin, data } = event;
  return origin === "system" ? data : undefined;
}
