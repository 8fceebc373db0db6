import { expect, it } from "vitest";
import { testHome, testHost } from "../host/home.ts";

it.each(["new", "clear"])("/%s begins a session with the preset of the one in which it runs", async (name) => {
  using home = testHome();
  await using t = await testHost();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, preset: "readonly" });
  const opened = await t.client.request("run_command", { sessionId, name, args: "" });
  const { meta } = await t.client.request("get_status", { sessionId: opened.sessionId as string });
  expect(meta).toEqual({ cwd: home.cwd, root: home.cwd, preset: "readonly" });
});
