import { expect, it } from "vitest";
import { diffLines } from "../../../plugins/terminal/rows/diff.ts";
import { dark } from "../../../plugins/terminal/theme/colors.ts";
import { themeOf } from "../../../plugins/terminal/theme/theme.ts";

it("draws a diff with more lines than a function takes arguments", () => {
  const count = 150_000;
  const removed = Array.from({ length: count }, (_, at) => `-row ${at}`);
  const lines = diffLines([`@@ -1,${count} +1,1 @@`, ...removed, "+empty"].join("\n"), 80, themeOf("dark", dark));
  expect(lines).toHaveLength(count + 1);
});
