import type { ProjectionDefinition, StoredEvent } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { ByteRange, FileCoverage, FileDetails } from "../contract.ts";

type State = Readonly<Record<string, FileCoverage>>;

/** The parts of each file that the model has read on this path, from results of Read, Edit and Write. */
export const fileCoverage: ProjectionDefinition<State> = {
  over: "path",
  reads: ["compact", { type: "message", containing: '"ranges"' }],
  init: () => ({}),
  update(state, event: StoredEvent & { message?: ScorelMessage }) {
    if (event.type === "compact") return {};
    const file = event.type === "message" && event.message ? fileOf(event.message) : undefined;
    if (!file) return state;
    const { path, ...coverage } = file;
    return { ...state, [path]: joined(state[path], coverage) };
  },
};

const FILE_TOOLS = new Set(["Read", "Edit", "Write"]);

function fileOf(message: ScorelMessage): FileDetails | undefined {
  if (message.role !== "tool_result" || !FILE_TOOLS.has(message.toolName)) return undefined;
  const file = (message.details as { file?: FileDetails } | undefined)?.file;
  if (typeof file?.path !== "string" || typeof file.version !== "string" || !Array.isArray(file.ranges))
    return undefined;
  return { path: file.path, version: file.version, ranges: file.ranges };
}

/** Unites ranges of the same version; a new version replaces what was seen. */
export function joined(before: FileCoverage | undefined, now: FileCoverage): FileCoverage {
  if (before?.version !== now.version) return now;
  return { version: now.version, ranges: union([...before.ranges, ...now.ranges]) };
}

/** The same bytes as ascending, disjoint ranges. */
export function union(ranges: readonly ByteRange[]): ByteRange[] {
  const sorted = ranges.filter(([from, to]) => from < to).sort(([a], [b]) => a - b);
  const result: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The first part of `[from, to)` that is not covered. */
export function uncovered(ranges: readonly ByteRange[], [from, to]: ByteRange): ByteRange | undefined {
  let at = from;
  for (const [start, end] of ranges) {
    if (end <= at) continue;
    if (start > at) return at < to ? [at, Math.min(start, to)] : undefined;
    at = end;
  }
  return at < to ? [at, to] : undefined;
}

/** A replaced range of bytes, and the length of its replacement. */
export interface Replacement {
  from: number;
  to: number;
  length: number;
}

/** Moves covered ranges according to replacements (ascending, disjoint); inserted bytes are covered too. */
export function afterReplacing(ranges: readonly ByteRange[], replacements: readonly Replacement[]): ByteRange[] {
  const moved: ByteRange[] = [];
  let shift = 0;
  let kept = 0;
  for (const { from, to, length } of [...replacements, { from: Infinity, to: Infinity, length: 0 }]) {
    for (const range of ranges) moved.push([Math.max(range[0], kept) + shift, Math.min(range[1], from) + shift]);
    if (from === Infinity) break;
    moved.push([from + shift, from + shift + length]);
    shift += length - (to - from);
    kept = to;
  }
  return union(moved);
}
