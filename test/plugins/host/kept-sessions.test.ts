import type { HostService } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import { agentHost } from "./agent-host.ts";
import { ask, echoAgent, environmentRecorder, type TestHost, testHome, testHost } from "./home.ts";

/** A plugin of sessions that adds the options of each session that starts to `begun`, and has the given work in the background. */
function recorder(begun: object[], background: { id: string; title: string; since: number }[] = []) {
  return definePlugin({
    id: "recorder",
    name: "Recorder",
    version: "1.0.0",
    needs: ["workspace"],
    activate: ({ workspace: { permission, thinking, allowWrite } }) =>
      void begun.push({ permission, thinking, allowWrite }),
    backgroundWork: () => ({ list: () => background, stop: () => {} }),
  });
}

/** Lets a client leave a session, of which only a keeper is left, as of one in a host in the background. */
async function leave({ host, client }: Pick<TestHost, "host" | "client">, sessionId: string): Promise<void> {
  await host.connect({ clientId: "host", isKeeper: true }).request("load_session", { sessionId });
  expect(await client.request("close_session", { sessionId })).toEqual({ closed: false, notices: [] });
}

/** Creates a session with these options, which only a keeper has open. */
async function leftWith(
  t: TestHost,
  params: { cwd: string; permission?: "full"; allowWrite?: string[]; environment?: string[] },
): Promise<string> {
  const { sessionId } = await t.client.request("create_session", params);
  await ask(t.client, sessionId, "hi");
  await leave(t, sessionId);
  return sessionId;
}

const none = { permission: undefined, thinking: undefined, allowWrite: [] };

it("options can be given for a session that only the host keeps open", async () => {
  using home = testHome();
  const begun: object[] = [];
  await using t = await testHost([echoAgent, recorder(begun)]);
  const sessionId = await leftWith(t, { cwd: home.cwd });
  await t.client.request("load_session", { sessionId, thinking: "high", allowWrite: [home.home] });
  expect(begun).toEqual([none, { permission: undefined, thinking: "high", allowWrite: [home.home] }]);
});

it.each(["by its id", "as the latest"])(
  "the permission of one client does not apply to the next one, which opens the session %s",
  async (how) => {
    using home = testHome();
    const begun: object[] = [];
    await using t = await testHost([echoAgent, recorder(begun)]);
    const sessionId = await leftWith(t, { cwd: home.cwd, permission: "full" });
    const status =
      how === "by its id"
        ? await t.client.request("load_session", { sessionId })
        : await t.client.request("continue_session", { cwd: home.cwd });
    expect({ begun, opened: status.sessionId }).toEqual({
      begun: [{ ...none, permission: "full" }, none],
      opened: sessionId,
    });
  },
);

it("a kept session stays as it is for a client with the same options, and for requests without an opening", async () => {
  using home = testHome();
  const begun: object[] = [];
  await using t = await testHost([echoAgent, recorder(begun)]);
  const sessionId = await leftWith(t, { cwd: home.cwd, permission: "full" });
  expect(await ask(t.host.connect(), sessionId, "once more")).toBe("echo: once more");
  await t.client.request("load_session", { sessionId, permission: "full", attending: true });
  expect(begun).toEqual([{ ...none, permission: "full" }]);
});

it("a mode that was chosen in the session is not that of the next client, but still that of the client that comes back", async () => {
  using home = testHome();
  const begun: object[] = [];
  await using t = await agentHost("http://127.0.0.1:9", { session: [requests, permissions, tools, recorder(begun)] });
  const { client } = t;
  const host = t.kernel.find("host") as HostService;
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const mode = async () =>
    (await client.request("list_permission_modes", { sessionId })).modes.find(({ current }) => current)?.mode;
  const opened = async (given: { permission?: "full" }) => {
    await client.request("set_permission", { sessionId, mode: "full" });
    await leave({ host, client }, sessionId);
    await client.request("load_session", { sessionId, ...given });
    return mode();
  };
  expect([await opened({}), await opened({ permission: "full" })]).toEqual(["edits", "full"]);
  expect(begun).toEqual([none, none]);
  await client.request("reload_session", { sessionId });
  expect([await mode(), begun.length]).toEqual(["full", 3]);
});

it("a session with another client, or with work in the background, is not opened again", async () => {
  using home = testHome();
  const begun: object[] = [];
  const background = [{ id: "1", title: "$ npm run dev", since: 1 }];
  await using t = await testHost([echoAgent, recorder(begun, background)]);
  await using other = await testHost([echoAgent, recorder(begun)]);
  const working = await leftWith(t, { cwd: home.cwd });
  const shared = await leftWith(other, { cwd: home.cwd });
  await other.host.connect({ name: "terminal" }).request("load_session", { sessionId: shared });
  const opening = [
    t.client.request("load_session", { sessionId: working, permission: "full" }),
    other.client.request("load_session", { sessionId: shared, permission: "full" }),
  ];
  const codes = (await Promise.allSettled(opening)).map((each) => each.status === "rejected" && each.reason.code);
  expect({ codes, begun }).toEqual({ codes: ["HOST_SESSION_OPTIONS", "HOST_SESSION_OPTIONS"], begun: [none, none] });
});

it("folders that a client has opened for writing are closed for a client that names another one twice", async () => {
  using home = testHome();
  const begun: object[] = [];
  await using t = await testHost([echoAgent, recorder(begun)]);
  const sessionId = await leftWith(t, { cwd: home.cwd, allowWrite: [home.home, home.cwd] });
  const allowWrite = [home.cwd, `${home.cwd}/../work`];
  await t.client.request("load_session", { sessionId, allowWrite });
  await leave(t, sessionId);
  await t.client.request("load_session", { sessionId, allowWrite: [home.cwd] });
  const wanted = [
    [home.home, home.cwd],
    [home.cwd, home.cwd],
  ].map((folders) => ({ ...none, allowWrite: folders }));
  expect(begun).toEqual(wanted);
});

it.each([
  ["other variables", ["AWS_PROFILE=staging"]],
  ["none", undefined],
])(
  "the variables of one client do not apply to the commands of the next one, which gives %s",
  async (_, environment) => {
    using home = testHome();
    const { begun, records } = environmentRecorder();
    await using t = await testHost([echoAgent, records]);
    const given = { environment: ["AWS_PROFILE=production"] };
    const sessionId = await leftWith(t, { cwd: home.cwd, ...given });
    await t.client.request("load_session", { sessionId, ...given });
    await leave(t, sessionId);
    await t.host.connect().request("load_session", { sessionId, ...(environment && { environment }) });
    expect(begun).toEqual([given.environment, environment]);
  },
);

it("a session stays open for a client whose shell has only changed its folder", async () => {
  using home = testHome();
  const { begun, records } = environmentRecorder();
  await using t = await testHost([echoAgent, records]);
  const environment = ["AWS_PROFILE=staging", "PWD=/a", "OLDPWD=/b", "_=/usr/bin/scorel"];
  const sessionId = await leftWith(t, { cwd: home.cwd, environment });
  const later = ["AWS_PROFILE=staging", "PWD=/b", "OLDPWD=/a", "SHLVL=2", "_=/usr/bin/env"];
  await t.host.connect().request("load_session", { sessionId, environment: later });
  expect(begun).toEqual([environment]);
});
