import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { echoAgent, testHome, testHost } from "../host/home.ts";

it.each(["new", "clear"])("/%s begins a session with the preset of the one in which it runs", async (name) => {
  using home = testHome();
  await using t = await testHost();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, preset: "readonly" });
  const opened = await t.client.request("run_command", { sessionId, name, args: "" });
  const { meta } = await t.client.request("get_status", { sessionId: opened.sessionId as string });
  expect(meta).toEqual({ cwd: home.cwd, root: home.cwd, preset: "readonly" });
});

/** The options of sessions in the order in which they begin. */
function optionRecorder() {
  const begun: object[] = [];
  const plugin = definePlugin({
    ...{ id: "records", name: "Records", version: "1.0.0", needs: ["workspace"] },
    activate({ workspace }) {
      const { tools, appendSystemPrompt, sandbox, allowWrite } = workspace;
      begun.push({ tools, appendSystemPrompt, sandbox, allowWrite });
    },
  });
  return { begun, plugin };
}

const options = { tools: ["Read"], appendSystemPrompt: "Be brief.", sandbox: "local" as const };

it.each(["new", "clear"])("/%s begins a session with the options of the one in which it runs", async (name) => {
  using home = testHome();
  const { begun, plugin } = optionRecorder();
  await using t = await testHost([echoAgent, plugin]);
  const given = { ...options, allowWrite: [home.home] };
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, ...given });
  await t.client.request("run_command", { sessionId, name, args: "" });
  expect(begun).toEqual([given, given]);
});

it.each([
  { sandbox: "local" as const, kept: undefined },
  { sandbox: "bubblewrap" as const, kept: "bubblewrap" },
])("/new of a client that may not open folders keeps the sandbox $sandbox as $kept", async ({ sandbox, kept }) => {
  using home = testHome();
  const { begun, plugin } = optionRecorder();
  await using t = await testHost([echoAgent, plugin]);
  const given = { ...options, sandbox, allowWrite: [home.home] };
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, ...given });
  const operations = ["run_command", "get_status", "follow_status", "create_session"] as const;
  const limited = t.host.connect({ scope: { operations } });
  await limited.request("run_command", { sessionId, name: "new", args: "" });
  expect(begun.at(-1)).toEqual({ ...options, sandbox: kept, allowWrite: [] });
});
