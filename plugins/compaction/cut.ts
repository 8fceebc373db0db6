import type { Entry } from "./conversation.ts";

/**
 * Limits in tokens for what is kept. `keep` is the aim; up to `most`, the running turn is kept whole; up to `limit`, a
 * round that the model has not seen yet.
 */
export interface Room {
  keep: number;
  most: number;
  limit: number;
}

/**
 * Returns the indexes before which a conversation may be cut, in order: before a message that begins a turn, and
 * between rounds. Never between a call and its result, or between a result and text merged into it.
 */
export function legalCuts(entries: readonly Entry[]): number[] {
  const cuts: number[] = [];
  const answered = answersAfter(entries);
  let replied = false;
  for (const [at, { kind }] of entries.entries()) {
    const isTurn = kind === "turn" && !answered[at];
    if ((isTurn && at > 0) || (kind === "reply" && replied)) cuts.push(at);
    if (kind === "reply") replied = true;
    if (kind === "turn") replied = false;
  }
  return isAtRest(entries) ? [...cuts, entries.length] : cuts;
}

/**
 * Chooses where to cut so that about `keep` tokens remain, including the whole last turn; if that turn is too long,
 * between its rounds. Undefined when there is no place.
 */
export function chooseCut(
  entries: readonly Entry[],
  sizes: readonly number[],
  { keep, most, limit }: Room,
): number | undefined {
  const rest = restSizes(sizes);
  const isWithin = (limit: number) => (at: number) => (rest[at] as number) <= limit;
  const cuts = legalCuts(entries);
  const start = Math.max(
    0,
    entries.findLastIndex(({ kind }) => kind === "turn"),
  );
  const before = cuts.filter((at) => at <= start);
  const first = before.find(isWithin(keep));
  if (first !== undefined) return atTurn(entries, before, first, rest);
  const nearest = before.at(-1);
  if (nearest !== undefined && isWithin(most)(nearest)) return nearest;
  const rounds = cuts.filter((at) => at > start && at < entries.length);
  const round = rounds.find(isWithin(keep)) ?? rounds.at(-1) ?? nearest;
  if (isWithin(limit)(round ?? 0)) return round;
  // A round that exceeds the limit alone is summarized as a whole.
  return cuts.findLast((at) => at > start) ?? nearest;
}

/** Prefers to cut before a turn, unless that would drop more than half of what may be kept. */
function atTurn(entries: readonly Entry[], cuts: readonly number[], first: number, rest: readonly number[]): number {
  const turn = cuts.find((at) => at >= first && entries[at]?.kind === "turn");
  return turn !== undefined && 2 * (rest[turn] as number) >= (rest[first] as number) ? turn : first;
}

/** For each entry, true when a result follows before the next reply; it then belongs to a call before the entry. */
function answersAfter(entries: readonly Entry[]): boolean[] {
  const after: boolean[] = [];
  let found = false;
  for (let at = entries.length - 1; at >= 0; at--) {
    const { kind } = entries[at] as Entry;
    if (kind === "result" || kind === "reply") found = kind === "result";
    after[at] = found;
  }
  return after;
}

/** Returns true when every call has a result and the user did not speak last. */
function isAtRest(entries: readonly Entry[]): boolean {
  const last = entries.findLastIndex(({ kind }) => kind === "reply");
  const message = entries[last]?.message;
  if (message?.role !== "assistant") return false;
  const after = entries.slice(last + 1);
  const answered = new Set(
    after.map(({ message }) => (message?.role === "tool_result" ? message.toolCallId : undefined)),
  );
  return (
    after.every(({ kind }) => kind !== "turn") &&
    message.content.every((block) => block.type !== "toolCall" || answered.has(block.id as string))
  );
}

/** Returns the tokens that remain when cut at each index, including the end. */
function restSizes(sizes: readonly number[]): number[] {
  const rest = [...sizes, 0];
  for (let at = sizes.length - 1; at >= 0; at--) rest[at] = (sizes[at] as number) + (rest[at + 1] as number);
  return rest;
}
