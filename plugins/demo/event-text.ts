import type { Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";

const WIDTH = 100;

/** Describes an event in a line or two; undefined when there is nothing to show. */
export function describeEvent({ event, display }: Delivered): string | undefined {
  if (event.type === "tool_execution_start" && display.display === "card") return `  > ${display.title}`;
  if (event.type === "notification" && display.display === "notice") return display.text;
  const role = isEvent(event, "message") ? event.message.role : undefined;
  if (role === "assistant" && display.display === "bubble") return display.text;
  if (role === "tool_result" && display.display === "card") return `    ${summarize(display.text)}\n`;
  return undefined;
}

/** Summarizes a result: the counts of a test run, the tool's own summary in brackets, or the first line. */
function summarize(text: string): string {
  const all = text.split("\n").filter((line) => line.trim() !== "");
  const counts = all.flatMap((line) => /^\W+((?:pass|fail) \d+)$/.exec(line)?.[1] ?? []);
  if (counts.length > 0) return counts.join(", ");
  const first = (all[0] ?? "(nothing)").trim();
  const summary = /^\[(.+)\]$/.exec(first)?.[1];
  if (summary !== undefined) return summary;
  const short = first.length > WIDTH ? `${first.slice(0, WIDTH - 1)}…` : first;
  return all.length > 1 ? `${short} (and ${all.length - 1} more lines)` : short;
}
