import { stripVTControlCharacters } from "node:util";
import type { LiveCall, Row } from "@scorel/host/client";
import type { DisplayAction } from "@scorel/kernel";
import { expect, it } from "vitest";
import { itemOf, LiveItems } from "../../../plugins/terminal/app/items.ts";
import { People } from "../../../plugins/terminal/app/people.ts";
import type { Look } from "../../../plugins/terminal/rows/look.ts";
import { none } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";
import { en } from "../../../plugins/terminal/words/en.ts";

const theme = themeOf("none", none);
const look: Look = {
  theme,
  words: en,
  drawing: { theme } as Look["drawing"],
  isExpanded: false,
  showsThinking: false,
  expandKey: "Ctrl-O",
  thinkingKey: "Ctrl-T",
};
const [own, friend] = ["terminal-0123456789abcdef", "friend-0123456789abcdef"];
const people = new People({ clientId: own });
const display: DisplayAction = { display: "card", title: "! touch a", status: "done", text: "" };
const plain = (lines: string[]) => lines.map(stripVTControlCharacters);

it("a line for the shell shows the name of its author, if that was somebody else", () => {
  const stored = (clientId: string) => {
    const event = { type: "shell_line", clientId, seq: 5 };
    const row = { id: "e1", type: "shell_line", display, active: true, clientId, event } as unknown as Row;
    return plain(itemOf(row, people)?.draw(80, look, {}) ?? []);
  };
  expect([stored(friend), stored(own)]).toEqual([["● friend ! touch a"], ["● ! touch a"]]);
  const running = (typedBy: string) => {
    const live = { kind: "call", id: "e1", display: { ...display, status: "running" }, typedBy } as LiveCall;
    return plain(new LiveItems().itemOf(live, 0, people).draw(80, look, {}));
  };
  expect([running(friend), running(own), running("x")]).toEqual([
    ["◌ friend ! touch a"],
    ["◌ ! touch a"],
    ["◌ another client ! touch a"],
  ]);
});
