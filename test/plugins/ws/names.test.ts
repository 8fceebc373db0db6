import type { RemoteClient } from "@scorel/host/client";
import { expect, it } from "vitest";
import type { GatewayService } from "../../../plugins/gateway/contract.ts";
import { testWeb } from "./home.ts";

it("clients are called by the name of their token, with a number only when there are several, and the owner's as they like", async () => {
  await using t = await testWeb();
  await t.write("phone", ["view", "prompt"]);
  const clients = () =>
    (t.kernel.find("gateway") as GatewayService)
      .clients()
      .map(({ name, transport, scopes, connected }) => [name, transport, scopes, connected]);
  const ask = async (name: string) => {
    const headers = { Authorization: `Bearer ${t.token(name)}`, "Content-Type": "application/json" };
    await fetch(`http://127.0.0.1:${t.port}/operations/ping`, { method: "POST", headers, body: "{}" });
  };
  const connect = (name: string, called?: string): Promise<RemoteClient> =>
    t.connect({ dial: () => t.dial(t.address, { tokenFile: t.tokenPath(name) }), ...(called && { name: called }) });
  await ask("phone");
  expect(clients()).toEqual([["phone", "http", ["view", "prompt"], false]]);
  await ask("owner");
  const options = { tokenFile: t.tokenPath("phone") };
  const guest = await t.connect({ name: "phone", dial: () => t.dial(t.address, options) });
  expect(guest.clientId).toMatch(/^phone-2-\w{16}$/);
  const own = await connect("owner", "owner");
  expect(clients()).toEqual([
    ["phone-2", "ws", ["view", "prompt"], true],
    ["owner-2", "ws", undefined, true],
    ["phone", "http", ["view", "prompt"], false],
    ["owner", "http", undefined, false],
  ]);
  await Promise.all([guest.close(), own.close()]);
});
