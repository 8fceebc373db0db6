import { expect, it } from "vitest";
import { activityLine } from "../../../plugins/terminal/app/status-line.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { recorded } from "./recorded.ts";

const theme: Theme = { name: "none", style: (_role, text) => text } as Theme;
const look: Look = {
  ...{ theme, words: en, drawing: { theme }, isExpanded: false, showsThinking: false },
  ...{ expandKey: "Ctrl-O", thinkingKey: "Ctrl-T" },
};

/** A session in which two calls were announced `agoMs` milliseconds ago. */
function stage(agoMs: number) {
  const { view, transcript } = recorded([]);
  const now = Date.now();
  const pass = (type: string, tool: string, more: object, ms: number) => {
    const event = { type, eventId: tool, toolCallId: tool, ts: now - ms, streamSeq: 0, ...more };
    const display = { display: "card", title: tool, status: "running", text: "" };
    (view as unknown as { take(delivered: object): void }).take({ event, display });
    transcript.liveChanged();
  };
  pass("runtime_start", "", {}, agoMs);
  for (const tool of ["first", "second"]) pass("tool_execution_start", tool, { toolName: tool, args: {} }, agoMs);
  const shown = () => {
    const line = activityLine(
      { view, theme, words: en, keys: createKeys(), now, since: 0, startOf: (call) => transcript.startOf(call) },
      80,
    );
    return [line?.replace(/^. | · Esc.*$/g, ""), ...transcript.render(80, 20, look).filter((row) => row !== "")];
  };
  return { pass, shown };
}

it("the time of a tool is the time for which it runs, and a call that waits for others says so", () => {
  const t = stage(65_000);
  t.pass("tool_execution_state", "second", { state: "waiting" }, 64_000);
  expect(t.shown()).toEqual(["running first 1 min 5 s", "◌ first  1 min 5 s", "◌ second  waits for other tools"]);
  t.pass("tool_execution_state", "first", { state: "running" }, 33_000);
  expect(t.shown().slice(0, 2)).toEqual(["running first 33 s", "◌ first  33 s"]);
  t.pass("tool_execution_end", "first", { toolName: "first", durationMs: 1, isError: false }, 4_000);
  t.pass("tool_execution_state", "second", { state: "running" }, 3_000);
  expect(t.shown()).toEqual(["running second 3 s", expect.stringMatching(/^◌ second {2}3\.\d s$/)]);
});
