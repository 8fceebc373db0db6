import { expect, it } from "vitest";
import { post } from "./setup.ts";

it("set_permission changes the mode as /permission does, and lifts no rule of the configuration", async () => {
  await using t = await post({ deny: ["Bash(rm *)"] });
  const request = t.request as unknown as (operation: string, params: object) => Promise<unknown>;
  expect(await t.bash("touch made")).toMatch(/nobody|not allowed|ask/i);
  expect(await request("set_permission", { mode: "full" })).toEqual({ mode: "full" });
  expect(await t.bash("touch made")).toBe("runs");
  expect(await t.bash("rm made")).toContain("Bash(rm *)");
  expect(await t.command()).toContain("mode: full");
  await t.command("ask");
  expect(t.stored().filter(({ type }) => type === "permission_mode")).toMatchObject([
    { mode: "full" },
    { mode: "ask" },
  ]);
});
