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

it("a configured mode applies whoever opens the session; without one, it is `edits` until somebody can be asked", async () => {
  const modes = async (config: object) => {
    await using t = await post(config);
    const before = await t.command();
    await t.request("attend_requests", {});
    const during = await t.command();
    await t.request("attend_requests", { attending: false });
    return [before, during, await t.command()].map((text) => /mode: (\w+)/.exec(String(text))?.[1]);
  };
  for (const mode of ["ask", "edits", "plan"]) expect(await modes({ mode })).toEqual([mode, mode, mode]);
  expect(await modes({})).toEqual(["edits", "ask", "ask"]);
});

it("keeps a mode that a preset locks: it can be kept or made stricter, not wider", async () => {
  const locks = [{ setting: "permissions", preset: "team", place: "/home/you/team/preset.toml:4" }];
  await using t = await post({ mode: "ask" }, { locks });
  const request = t.request as unknown as (operation: string, params: object) => Promise<unknown>;
  for (const mode of ["edits", "full"])
    await expect(request("set_permission", { mode })).rejects.toMatchObject({
      code: "PERMISSIONS_LOCKED",
      message: `The permission mode cannot be ${mode}: the preset "team" (/home/you/team/preset.toml:4) locks permissions.mode, which is ask. Allowed: ask, plan.`,
    });
  await expect(t.command("full")).rejects.toMatchObject({ code: "PERMISSIONS_LOCKED" });
  expect(await request("set_permission", { mode: "plan" })).toEqual({ mode: "plan" });
  expect(await request("set_permission", { mode: "ask" })).toEqual({ mode: "ask" });
  const { modes } = (await request("list_permission_modes", {})) as { modes: { mode: string }[] };
  expect(modes.map(({ mode, ...more }) => [mode, Object.keys(more)])).toEqual([
    ["ask", ["about", "current"]],
    ["edits", ["about", "unavailable"]],
    ["full", ["about", "unavailable"]],
    ["plan", ["about"]],
  ]);
  await t.kernel.session.append("permission_mode", { mode: "edits" });
  expect(await t.command()).toContain("mode: ask");
});
