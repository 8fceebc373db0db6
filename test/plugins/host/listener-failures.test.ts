import history from "@scorel/history";
import type { Client, HostService } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { contained } from "../../harness.ts";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

for (const scope of ["host", "session"] as const)
  it(`listeners of an extension that throw are reported for it, and switched off after the third failure (${scope})`, async () => {
    using home = testHome();
    let client: Client | undefined;
    const calls = { events: 0, changes: 0 };
    const listening = definePlugin({
      id: "listening",
      name: "Listening",
      version: "1.0.0",
      scope,
      needs: ["host"],
      activate(ctx) {
        client ??= ctx.host.connect();
      },
    });
    const extension = contained(listening, "/home/you/listening.ts", { file: import.meta.filename });
    await using t = await testHost(
      [echoAgent, history, ...(scope === "session" ? [extension] : [])],
      [],
      scope === "host" ? [extension] : [],
    );
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const own = client as unknown as Client;
    await own.subscribe(sessionId, () => {
      calls.events++;
      throw new Error("no events");
    });
    await own.watchSessions(async () => {
      calls.changes++;
      throw new Error("no changes");
    });
    for (let turn = 0; turn < 4; turn++) {
      await ask(t.client, sessionId, "hello");
      await t.client.request("rename_session", { sessionId, name: `Turn ${turn}` });
    }
    await own.drained(sessionId);
    await eventually(() => expect(calls).toEqual({ events: 3, changes: 3 }));
    const { notices } = await t.client.request("get_status", { sessionId });
    const failures =
      scope === "host" ? t.kernel.failures : notices.map(({ origin: where, ...rest }) => ({ ...rest, where }));
    const told = failures.map(({ where, code }) => [where, code]).sort();
    const expected = ["client.subscribe", "client.watchSessions"].flatMap((where) => [
      [where, "PLUGIN_SWITCHED_OFF"],
      ...Array.from({ length: 3 }, () => [where, "UNEXPECTED"]),
    ]);
    expect(told).toEqual(expected.sort());
    expect(JSON.stringify(failures)).not.toContain('"host"');
  });

it("a plugin's own view of the host is made from the host that other plugins have wrapped", async () => {
  using home = testHome();
  let host: HostService | undefined;
  const asked: string[] = [];
  const wrapper = definePlugin({
    id: "wrapper",
    name: "Wrapper",
    version: "1.0.0",
    scope: "host",
    serviceWrappers: () => ({
      host: (own) => ({
        connect(options) {
          asked.push(options?.clientId ?? "");
          return own.connect(options);
        },
      }),
    }),
  });
  const user = definePlugin({
    id: "user",
    name: "User",
    version: "1.0.0",
    scope: "host",
    needs: ["host"],
    cliCommands(ctx) {
      host = ctx.host;
      return [];
    },
  });
  await using t = await testHost(undefined, [], [wrapper, user]);
  t.kernel.collect("cliCommands");
  const client = (host as unknown as HostService).connect({ clientId: "mine" });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  expect([asked, client.clientId, await ask(client, sessionId, "hi")]).toEqual([
    ["tester", "mine"],
    "mine",
    "echo: hi",
  ]);
});
