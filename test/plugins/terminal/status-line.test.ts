import type { SessionView } from "@scorel/host/client";
import { expect, it } from "vitest";
import { activityLine, statusLine } from "../../../plugins/terminal/app/status-line.ts";
import { createKeys } from "../../../plugins/terminal/input/keys.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const theme: Theme = { name: "none", style: (_role, text) => text } as Theme;
const parts = { theme, words: en, keys: createKeys(), now: 100_000, since: 0 };

function viewOf(status: object, more: object = {}): SessionView {
  const usage = { input: 10, output: 1, cost: 0 };
  return { status: { running: true, texts: [], usage, meta: {}, ...status }, live: [], requests: [], ...more } as never;
}

it("counts the time of a tool from when it was allowed", () => {
  const display = { display: "card", title: "Bash", status: "running", text: "" };
  const call = { kind: "call", id: "c", toolName: "Bash", ts: 10_000, display };
  const view = viewOf({}, { live: [call] });
  expect([activityLine({ ...parts, view }, 80), activityLine({ ...parts, view, startOf: () => 98_000 }, 80)]).toEqual([
    expect.stringContaining("running Bash 1 min 30 s"),
    expect.stringContaining("running Bash 2 s"),
  ]);
});

it("shows the line breaks of a command that runs, and counts marks that would cover other lines", () => {
  const title = `$ ls\n  rm a${"\u0301".repeat(2_000)}`;
  const call = { kind: "call", id: "c", toolName: "Bash", ts: 10_000, display: { display: "card", title, text: "" } };
  const line = activityLine({ ...parts, view: viewOf({}, { live: [call] }) }, 80);
  expect(line).toContain(`$ ls ⏎ rm a${"\u0301".repeat(8)}(+1992)`);
});

it("says in how many seconds a call of the model is made again", () => {
  const retrying = { attempt: 2, of: 3, reason: "503", until: 103_200 };
  const line = (status: object) => activityLine({ ...parts, view: viewOf(status) }, 80);
  expect([line({ retrying }), line({ retrying: { ...retrying, until: 99_000 } })]).toEqual([
    "trying again in 4 s (2 of 3): 503 · Esc to interrupt",
    "trying again (2 of 3): 503 · Esc to interrupt",
  ]);
});

it("cuts the reason for a new call of the model, and not the key that interrupts", () => {
  const retrying = { attempt: 1, of: 3, reason: `429 ${"Rate limit reached. ".repeat(9)}`, until: 159_000 };
  const line = (width: number) => activityLine({ ...parts, view: viewOf({ retrying }) }, width);
  expect([line(80), line(24), line(10)]).toEqual([
    "trying again in 59 s (1 of 3): 429 Rate limit reached. Rate … · Esc to interrupt",
    "tryi… · Esc to interrupt",
    "… · Esc t…",
  ]);
});

it("names the preset and the directory when they are not those that one expects, and leaves out a price that is not known", () => {
  const view = viewOf({ model: "p/m", meta: { preset: "readonly" } });
  expect([
    statusLine({ ...parts, view, directory: "~/other" }, 80),
    statusLine({ ...parts, view: viewOf({ model: "p/m" }) }, 80),
  ]).toEqual(["m · readonly · ~/other", "m"]);
});

it("names the extension that a status text is from, but not a shipped plugin", () => {
  const texts = [
    { plugin: "coding", text: "1 command in the background", shipped: true },
    { plugin: "my-tests", text: "2 failed" },
  ];
  const view = viewOf({ model: "p/m", texts });
  expect(statusLine({ ...parts, view }, 80)).toBe("m · 1 command in the background · my-tests: 2 failed");
});

it("names the key that interrupts a summary only to the user who asked for it", () => {
  const view = viewOf({ running: false, compacting: true });
  const line = (isCommanding: boolean) => activityLine({ ...parts, view, isCommanding }, 80);
  expect([line(true), line(false)]).toEqual([
    expect.stringMatching(/summarizing the conversation .* · Esc to interrupt$/),
    expect.stringMatching(/summarizing the conversation 1 min 40 s$/),
  ]);
});

it("shows the thinking level only of a model that thinks", () => {
  const line = (status: object) =>
    statusLine({ ...parts, view: viewOf({ model: "p/m", thinking: "high", ...status }) }, 80);
  expect([line({}), line({ thinks: false })]).toEqual(["m high", "m"]);
});
