import { describe, expect, it } from "vitest";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

describeWith("script", "help in a terminal", () => {
  describe.each([40, 80])("of %i columns", (columns) => {
    it.each([["--help"], ["session", "--help"], ["host", "--help"], ["session", "list", "--help"], ["chat", "--help"]])(
      "has no row that the terminal has to break (%s %s %s)",
      async (...args) => {
        using s = scratch({ cold: true });
        await using t = fullScreen(s, args, { columns });
        expect(await t.code).toBe(0);
        const rows = t.sent().split(/\r?\n/);
        expect(rows.length).toBeGreaterThan(10);
        expect(rows.filter((row) => row.length > columns)).toEqual([]);
      },
    );

    it.each([["--help"], ["help", "session"]])(
      "fits COLUMNS when the terminal has no size (%s %s)",
      async (...args) => {
        using s = scratch({ cold: true });
        await using t = fullScreen(s, args, { columns, sized: false, env: { COLUMNS: String(columns) } });
        expect(await t.code).toBe(0);
        const lengths = t
          .sent()
          .split(/\r?\n/)
          .map(({ length }) => length);
        expect(Math.max(...lengths)).toBeGreaterThan(columns - 20);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(columns);
      },
    );
  });
});
