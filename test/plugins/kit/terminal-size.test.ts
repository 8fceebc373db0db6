import { expect, it } from "vitest";
import { columnsOf, rowsOf, widthIn } from "../../../plugins/kit/terminal/size.ts";

it("the size of a terminal is what it says, else what the environment says, else 80 by 24", () => {
  const named = { COLUMNS: "132", LINES: "50" };
  const none = { isTTY: true, columns: 0, rows: 0 };
  const sizes = (stream: object, env: object) => [columnsOf(stream, { ...env }), rowsOf(stream, { ...env })];
  expect([
    sizes({ columns: 60, rows: 20 }, named),
    sizes(none, named),
    sizes({}, named),
    sizes(none, {}),
    ...["0", "-3", "1e3", "many", "99999"].map((wrong) => sizes(none, { COLUMNS: wrong, LINES: wrong })),
  ]).toEqual([[60, 20], [132, 50], [132, 50], ...Array.from({ length: 6 }, () => [80, 24])]);
  expect([widthIn(none, named), widthIn({ columns: 60 }, named)]).toEqual([132, undefined]);
});
