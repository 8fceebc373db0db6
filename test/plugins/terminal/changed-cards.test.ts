import { expect, it } from "vitest";
import { Timeline } from "../../../plugins/host/client/view/timeline.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import { Transcript } from "../../../plugins/terminal/app/transcript.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import type { Theme } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const theme = { name: "none", style: (_role: string, text: string) => text } as Theme;
const look = {
  ...{ theme, words: en, drawing: { theme }, isExpanded: false, showsThinking: false },
  ...{ expandKey: "Ctrl-O", thinkingKey: "Ctrl-T" },
} as Look;

const base = { sessionId: "s", clientId: "me", ts: 1 };
const card = { display: "card", title: "$ make &", status: "done", text: "[runs in the background as x]" };
const call = {
  event: { ...base, type: "message", id: "a", parentId: null, seq: 1, message: { details: { goesOn: true } } },
  display: card,
};
const ended = (cards: unknown) => ({
  event: { ...base, type: "harness_item", id: "b", parentId: "a", seq: 2, data: { cards } },
  display: { display: "notice", level: "warning", text: "It has ended." },
});

function shown(timeline: Timeline, events: readonly object[]) {
  const transcript = new Transcript();
  transcript.follow({ rows: timeline.rows, live: [], requests: [] } as never, new People({ clientId: "me" }));
  return events.map((event) => {
    for (const { index, isNew } of timeline.add(event as never) ?? []) transcript.changed(index, isNew);
    return transcript.render(60, 20, look);
  });
}

it("the card of a call whose work goes on is shown as running, until an event says how the work has ended", () => {
  expect(shown(new Timeline(), [call, ended({ a: { status: "error", text: "[exit code 3]" } })])).toEqual([
    ["◌ $ make &  [runs in the background as x]"],
    ["✗ $ make &", "  │ [exit code 3]", "", "! It has ended."],
  ]);
});

it("is the same when the call is loaded after the event that changes it", () => {
  const timeline = new Timeline();
  timeline.add(ended({ a: { status: "done", text: "[exit code 0]" } }) as never);
  timeline.addBefore([call as never]);
  expect(timeline.rows.map(({ display }) => display)).toMatchObject([{ status: "done", text: "[exit code 0]" }, {}]);
});

it.each([undefined, null, 3, "x", [1], { z: { status: "done" } }, { a: null }])("is not changed by %j", (cards) => {
  const [before, after] = shown(new Timeline(), [call, ended(cards)]);
  expect(after?.slice(0, 1)).toEqual(before);
});

it.each([
  ["another state", { status: "burnt", text: "x" }],
  ["no text", { status: "done" }],
])("is not changed by an entry with %s", (_what, entry) => {
  const [before, after] = shown(new Timeline(), [call, ended({ a: entry })]);
  expect(after?.slice(0, 1)).toEqual(before);
});
