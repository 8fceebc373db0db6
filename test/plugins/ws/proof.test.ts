import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connectHost, dialWebSocket, type RemoteClient } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { removePages } from "../../../plugins/web-server/pages.ts";
import { eventually } from "../../eventually.ts";
import { challenge, openPage, raw, testWeb } from "./home.ts";

type Web = Awaited<ReturnType<typeof testWeb>>;
type Closing = { type: "closing"; retry: boolean; error: { code: string } };

const times = { firstRetry: 5, lastRetry: 20 };
const here = (t: Web) => `127.0.0.1:${t.port}`;
const dialed = (address: string) => dialWebSocket(address, (url) => new WebSocket(url) as never);
const connect = (address: string, token: string, more = {}): Promise<RemoteClient> =>
  connectHost({ dial: () => dialed(address), version: "1.0.0", token: () => token, times, ...more });

/** The host's answer to a challenge, as the first message of a connection or a later one. */
async function asked(t: Web, question: object): Promise<unknown> {
  await using page = await openPage(t);
  page.send(question);
  // Awaited here, before the connection is closed.
  return await page.next();
}

const proofOf = async (t: Web, question: object) => ((await asked(t, question)) as { proof: string }).proof;

/** The proof, computed as the documentation says. */
function expected(token: string, { nonce, authority }: { nonce: string; authority: string }): string {
  const key = createHash("sha256").update(token).digest();
  return createHmac("sha256", key).update(`scorel host proof\n${nonce}\n${authority}`).digest("hex");
}

/** A token of a page. */
async function pageToken(t: Web): Promise<string> {
  const { code } = await t.client.request("create_access_code", {});
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`http://${here(t)}/access`, { method: "POST", headers, body: JSON.stringify({ code }) });
  return ((await answer.json()) as { token: string }).token;
}

describe("a host's proof that it knows a token", () => {
  it("is right for tokens, tokens of pages, and those that have ended, and differs with each nonce", async () => {
    await using t = await testWeb();
    const ended = await pageToken(t);
    await removePages();
    for (const token of [t.token(), await pageToken(t), ended]) {
      const questions = [challenge(token, here(t)), challenge(token, here(t))];
      const proofs = await Promise.all(questions.map((question) => proofOf(t, question)));
      expect(proofs).toEqual(questions.map((question) => expected(token, question)));
      expect(new Set(proofs).size).toBe(2);
    }
  });

  it("cannot be distinguished from the answer about an unknown token, which is the same each time", async () => {
    await using t = await testWeb();
    const question = challenge("scorel_unknown", here(t));
    const answers = [await asked(t, question), await asked(t, question)];
    expect(answers).toEqual(Array(2).fill({ type: "proof", proof: expect.stringMatching(/^[\da-f]{64}$/) }));
    expect(answers[0]).toEqual(answers[1]);
    expect(await proofOf(t, { ...question, id: "0".repeat(16) })).not.toBe(await proofOf(t, question));
  });

  it("is given only for addresses that lead to this host alone, and for those that the configuration names", async () => {
    await using t = await testWeb({}, { names: ["box"], origins: ["https://example.org", "http://proxy:8080"] });
    const answered = async (authority: string) =>
      ((await asked(t, challenge(t.token(), authority))) as { type: string }).type;
    const good = [here(t), `box:${t.port}`, "example.org", "proxy:8080"];
    for (const authority of good) expect([authority, await answered(authority)]).toEqual([authority, "proof"]);
    const bad = [`127.0.0.1:${t.port + 1}`, `localhost:${t.port}`, `[::1]:${t.port}`, "127.0.0.1", "example.org:1", ""];
    for (const authority of bad)
      expect(await asked(t, challenge(t.token(), authority))).toMatchObject({ error: { code: "WEB_AUTHORITY" } });
  });

  it("is given once in a connection, before anything else, and only for a question of the right form", async () => {
    await using t = await testWeb();
    const question = challenge(t.token(), here(t));
    await using page = await openPage(t);
    page.send(question);
    await page.next();
    page.send(question);
    expect(((await page.next()) as Closing).error.code).toBe("GATEWAY_MESSAGE");
    await using late = await openPage(t);
    expect(await late.enter(t.token())).toMatchObject({ type: "welcome" });
    late.send(question);
    expect(((await late.next()) as Closing).error.code).toBe("GATEWAY_MESSAGE");
    for (const wrong of [{ id: "x" }, { nonce: "00" }, { nonce: `${question.nonce}\n` }, { authority: 5 }, { more: 1 }])
      expect(await asked(t, { ...question, ...wrong })).toMatchObject({ error: { code: "GATEWAY_MESSAGE" } });
  });

  it("is asked for by pages: one of an earlier version, which does not, is told to load anew", async () => {
    await using t = await testWeb();
    const hello = async (token: string) =>
      (await asked(t, { type: "hello", protocol: 1, version: "1", token })) as Closing;
    expect(await hello(await pageToken(t))).toMatchObject({ retry: false, error: { code: "WS_OLD_PAGE" } });
    expect(await hello(t.token())).toMatchObject({ type: "welcome" });
  });

  it("is missing at localhost, so whoever opens the page there is sent to the address of the host", async () => {
    await using t = await testWeb({}, {}, [], [{ path: "/", open: (_request, response) => void response.end("page") }]);
    const open = (host: string) =>
      raw(t.port, [
        "GET /?a=b HTTP/1.1",
        `Host: ${host}:${t.port}`,
        ...["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Connection: close"],
      ]);
    expect(await open("localhost")).toContain(`Location: http://${here(t)}/?a=b\r\n`);
    expect(await open("[::1]")).toContain(`Location: http://${here(t)}/?a=b\r\n`);
    expect(await open("127.0.0.1")).toMatch(/^HTTP\/1\.1 200 .*page$/s);
  });
});

describe("a client with a token", () => {
  /** A server that answers the first message, and records all messages. */
  async function stranger(answer: (asked: Record<string, string>) => object | undefined) {
    const heard: string[] = [];
    const server = createServer();
    const accepting = new WebSocketServer({ server });
    accepting.on("connection", (socket) =>
      socket.on("message", (data) => {
        heard.push(String(data));
        const said = answer(JSON.parse(String(data)) as Record<string, string>);
        if (said) socket.send(JSON.stringify(said));
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const end = () => {
      for (const socket of accepting.clients) socket.terminate();
      return new Promise((resolve) => server.close(resolve));
    };
    return {
      heard,
      address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => void (await end()),
    };
  }

  const welcome = {
    type: "welcome",
    protocol: 1,
    version: "9",
    instance: "i",
    clientId: "c",
    secret: "s",
    resumed: false,
  };
  const refused = { type: "closing", retry: false, error: { code: "GATEWAY_MESSAGE", message: "Not understood." } };
  const answers: [string, (asked: { nonce: string }) => object][] = [
    ["welcomes it", () => welcome],
    ["is a host of an earlier version", () => refused],
    ["gives a wrong proof", ({ nonce }) => ({ type: "proof", proof: nonce })],
    ["gives a proof of another form", () => ({ type: "proof", proof: "" })],
    ["speaks another language", () => ({ hello: "world" })],
  ];
  for (const [name, answer] of answers)
    it(`does not send it to whoever ${name}`, async () => {
      await using there = await stranger((asked) => answer(asked as never));
      await expect(connect(there.address, "scorel_secret")).rejects.toMatchObject({ code: "LINK_UNPROVEN" });
      expect(there.heard.map((each) => Object.keys(JSON.parse(each) as object))).toEqual([
        ["type", "id", "nonce", "authority"],
      ]);
    });

  it("says that the host has not proved itself, asks again, and goes on when it has", async () => {
    await using t = await testWeb();
    await using there = await stranger(() => refused);
    let address = there.address;
    const dial = () => dialed(address);
    const client = await connectHost({ dial, version: "1", token: () => t.token(), patient: true, times });
    await eventually(() => expect(client.state).toMatchObject({ state: "waiting", unproven: true }));
    address = t.address;
    expect(await client.request("list_sessions", {})).toMatchObject({ sessions: [] });
    expect(there.heard.join("")).not.toContain(t.token());
    await client.close();
  });

  it("waits for a host that says that it is full", async () => {
    const full = { code: "GATEWAY_FULL", message: "Full." };
    await using there = await stranger(() => ({ type: "closing", retry: true, retryAfter: 30, error: full }));
    const client = await connect(there.address, "scorel_secret", { patient: true });
    await eventually(() => expect(client.state).toMatchObject({ state: "waiting", reason: "Full" }));
    expect(client.state).not.toHaveProperty("unproven");
    await client.close();
  });
});
