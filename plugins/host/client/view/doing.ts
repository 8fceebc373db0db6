import type { Doing } from "../../contract.ts";
import type { LiveCall, LiveReply, LiveWork } from "./live.ts";

/**
 * Summarises the activity of the running turn for people who wait for it. Of several activities, returns the most important one.
 * `questions` are the titles of the open questions. Undefined when no turn is running.
 */
export function doingNow(
  live: Pick<LiveWork, "all" | "work" | "times">,
  questions: readonly string[],
): Doing | undefined {
  const { work, times, all } = live;
  if (!work.running) return undefined;
  const since = times.round ?? times.turn ?? 0;
  if (times.waiting !== undefined) return { state: "waiting", since: times.waiting };
  if (questions[0] !== undefined) return { state: "asking", text: questions[0] };
  if (work.retrying) return { state: "retrying", ...work.retrying, until: work.retrying.until ?? since };
  if (work.compacting) return { state: "compacting", since: times.compacting ?? since };
  const calls = all.filter((item): item is LiveCall => item.kind === "call" && item.typedBy === undefined);
  const running = calls.filter(({ isWaiting }) => !isWaiting);
  const call = running[0] ?? calls[0];
  if (call) return { state: "tool", ...callNow(call), calls: running.length || calls.length };
  const reply = all.find((item): item is LiveReply => item.kind === "reply");
  const hasBegun = reply !== undefined && (reply.text !== "" || reply.calls.length > 0);
  return hasBegun ? { state: "answering", since: reply.ts } : { state: "thinking", since };
}

function callNow({ toolName, display, ts, ranAt = ts }: LiveCall): { since: number; tool: string; text: string } {
  const title = display?.display === "card" || display?.display === "fold" ? display.title : undefined;
  return { since: ranAt, tool: toolName, text: typeof title === "string" ? title : toolName };
}
