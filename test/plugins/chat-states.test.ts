import { expect, it } from "vitest";
import { type Facts, reactions, stateOf } from "../../plugins/chat/states.ts";

const facts: Facts = { opened: true, left: false, turn: false, question: false };

it.each([
  ["starting", { opened: false }],
  ["idle", {}],
  ["running", { turn: true }],
  ["asking", { question: true }],
  ["askingInTurn", { turn: true, question: true }],
  ["closing", { left: true }],
  ["closing", { left: true, question: true }],
  ["closingInTurn", { left: true, turn: true }],
] as const)("is %s: %j", (state, given) => {
  expect(stateOf({ ...facts, ...given })).toBe(state);
});

it("Ctrl-C cancels a turn wherever one runs, and never leaves while something would be lost", () => {
  expect(Object.entries(reactions).map(([state, { interrupt }]) => `${state}: ${interrupt}`)).toEqual([
    "starting: clear",
    "idle: clear",
    "running: cancel",
    "asking: decline",
    "askingInTurn: cancel",
    "closing: nothing",
    "closingInTurn: cancel",
  ]);
});

it("work that waits for a quiet moment runs in one state only", () => {
  const quiet = Object.entries(reactions).filter(([, reaction]) => reaction.quiet);
  expect(quiet.map(([state]) => state)).toEqual(["idle"]);
});
