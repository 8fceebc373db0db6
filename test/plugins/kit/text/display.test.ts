import { describe, expect, it } from "vitest";
import { asDisplay, displayText } from "../../../../plugins/kit/text/display.ts";

it("the text of a display action contains everything that can be read in it", () => {
  const actions = [
    { display: "hidden", text: "x" },
    { display: "fold", title: "T", text: "x" },
    { display: "card", title: "T", text: "", body: [{ display: "notice", text: "y" }] },
    { display: "badge", text: "b" },
    { display: "hidden" },
  ];
  expect(actions.map(displayText)).toEqual(["", "T\nx", "T\ny", "b", ""]);
});

describe("a display action is refused", () => {
  it.each([
    ["of an unknown kind", { display: "popup", text: "x" }],
    ["that is nothing", undefined],
    ["without a text that it needs", { display: "fold", title: "T" }],
    ["with a text of another type", { display: "badge", text: 5 }],
    ["with items that are not a list of texts", { display: "list", text: "x", items: [{ name: "a" }] }],
    ["with a part that cannot be drawn", { display: "card", title: "T", status: "s", text: "", body: [{}] }],
    ["with a body that is not a list", { display: "card", title: "T", status: "s", text: "", body: "x" }],
  ])("%s", (_what, action) => {
    expect(() => asDisplay("note", action)).toThrow(expect.objectContaining({ code: "EVENT_DISPLAY" }));
  });
});

it("a display action that can be drawn is returned unchanged", () => {
  const action = { display: "list", text: "x", items: [{ text: "a" }] };
  expect(asDisplay("note", action)).toBe(action);
});

it("names the nearest kind of display action", () => {
  expect(() => asDisplay("note", { display: "crad" })).toThrow(
    'convertToDisplay of "note" returned no display action: there is no display "crad". Did you mean "card"?',
  );
});
