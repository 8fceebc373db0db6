import { connectHost, dialWebSocket, followSession } from "@scorel/host/client";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { removeToken } from "../../../plugins/web-server/tokens.ts";
import { eventually } from "../../eventually.ts";
import { ask } from "../host/home.ts";
import { testWeb } from "./home.ts";

const dialed = (address: string) => dialWebSocket(address, (url) => new WebSocket(url) as never);

it("a patient client can exist before its host, and then executes its requests once and in order", async () => {
  await using t = await testWeb();
  let isThere = false;
  const dial = () => (isThere ? dialed(t.address) : Promise.reject(new Error("nobody listens there")));
  const times = { firstRetry: 5, lastRetry: 20 };
  const client = await connectHost({ dial, version: "1.0.0", token: t.token, patient: true, times });
  try {
    const states: string[] = [];
    client.onState(({ state }) => void states.push(state));
    const creating = client.request("create_session", { cwd: t.home.cwd });
    const watched: string[] = [];
    const watching = client.watchSessions(({ change }) => void watched.push(change));
    await eventually(() => expect(states.filter((state) => state === "waiting").length).toBeGreaterThan(1));
    isThere = true;
    const { sessionId } = await creating;
    await watching;
    const view = await followSession(client, sessionId);
    expect(await ask(client, sessionId, "hello")).toBe("echo: hello");
    await client.drained(sessionId);
    expect(view.rows.map(({ type }) => type)).toEqual(["message", "message"]);
    await view.close();
    expect((await client.request("list_sessions", {})).sessions).toHaveLength(1);
  } finally {
    await client.close();
  }
});

it("a patient client whose token has ended is refused at once, with the reason", async () => {
  await using t = await testWeb();
  await t.write("phone", ["view"]);
  const token = t.token("phone");
  await removeToken("phone");
  const refused = { version: "1.0.0", token: () => token, patient: true };
  const client = await connectHost({ dial: () => dialed(t.address), ...refused });
  await expect(client.request("list_sessions", {})).rejects.toMatchObject({ code: "WEB_TOKEN" });
  expect(client.state).toMatchObject({ state: "closed", error: { code: "WEB_TOKEN" } });
});
