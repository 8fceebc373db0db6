import { expect, it } from "vitest";
import { type Facts, reactions, stateOf } from "../../plugins/chat/states.ts";

const facts: Facts = { opened: true, connected: true, left: false, turn: "none", question: false, command: false };

it.each([
  ["starting", { opened: false }],
  ["idle", {}],
  ["commanding", { command: true }],
  ["running", { turn: "own", command: true }],
  ["watching", { turn: "others" }],
  ["asking", { question: true }],
  ["askingInTurn", { turn: "own", question: true }],
  ["askingInTurn", { turn: "others", question: true }],
  ["disconnected", { connected: false, turn: "own", question: true }],
  ["closing", { left: true, connected: false }],
  ["closing", { left: true, turn: "others" }],
  ["closing", { left: true, question: true }],
  ["closingInTurn", { left: true, turn: "own" }],
] as const)("is %s: %j", (state, given) => {
  expect(stateOf({ ...facts, ...given })).toBe(state);
});

it("Ctrl-C cancels a turn or a command wherever one runs, and never leaves while something would be lost", () => {
  expect(Object.entries(reactions).map(([state, { interrupt }]) => `${state}: ${interrupt}`)).toEqual([
    "starting: clear",
    "idle: clear",
    "commanding: cancelCommand",
    "running: cancel",
    "watching: cancel",
    "asking: decline",
    "askingInTurn: cancel",
    "disconnected: clear",
    "closing: cancelCommand",
    "closingInTurn: cancelOwn",
  ]);
});

it("work that waits for a quiet moment runs in one state only", () => {
  const quiet = Object.entries(reactions).filter(([, reaction]) => reaction.quiet);
  expect(quiet.map(([state]) => state)).toEqual(["idle"]);
});
