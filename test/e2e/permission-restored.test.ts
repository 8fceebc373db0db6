import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Channel, connectHost, type RemoteClient } from "@scorel/host/client";
import { expect, it } from "vitest";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { eventually } from "../eventually.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** Starts a host in a process that ends with the test, and waits until it accepts connections. */
async function serving(s: Scratch) {
  const host = s.start(["host", "serve", "--foreground"]);
  await host.line((line) => line.startsWith("socket: "));
  return host;
}

const stateOf = (s: Scratch) =>
  JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8")) as {
    version: string;
    addresses: { address: string }[];
  };

async function connect(s: Scratch, name: string, ready: () => Promise<unknown> = async () => {}) {
  const dial = async (): Promise<Channel> => {
    await ready();
    return dialSocket(stateOf(s).addresses[0]?.address as string);
  };
  return connectHost({ dial, name, version: stateOf(s).version });
}

const modeIn = async (client: RemoteClient, sessionId: string) =>
  (await client.request("list_permission_modes", { sessionId })).modes.find(({ current }) => current)?.mode;

it("a client's permission mode is restored when it reconnects, unless somebody else has changed the mode since", async () => {
  using s = scratch();
  s.useModel("http://127.0.0.1:1");
  let host = await serving(s);
  let ready: Promise<unknown> = Promise.resolve();
  const opener = await connect(s, "opener", () => ready);
  const other = await connect(s, "other");
  /** Kills the host and starts another one, in which the other client opens the session first. */
  const restart = async () => {
    let resolve = () => {};
    ready = new Promise<void>((done) => {
      resolve = done;
    });
    host.child.kill("SIGKILL");
    await host.finished;
    host = await serving(s);
    await modeIn(other, sessionId);
    resolve();
    await opener.drained(sessionId);
  };
  const { sessionId } = await opener.request("create_session", { cwd: s.project, permission: "full" });
  await opener.request("rename_session", { sessionId, name: "shared" });
  await opener.subscribe(sessionId, () => {});
  await other.request("attend_requests", { sessionId, attending: true });
  await other.subscribe(sessionId, () => {});
  await restart();
  await eventually(async () => expect(await modeIn(opener, sessionId)).toBe("full"));
  await other.request("set_permission", { sessionId, mode: "ask" });
  await opener.drained(sessionId);
  await restart();
  expect(await modeIn(opener, sessionId)).toBe("ask");
  await opener.request("set_permission", { sessionId, mode: "full" });
  await opener.request("set_permission", { sessionId, mode: "plan" });
  await other.drained(sessionId);
  await restart();
  expect(await modeIn(opener, sessionId)).toBe("plan");
  for (const client of [opener, other]) await client.close();
  host.child.kill("SIGTERM");
  await host.finished;
});
