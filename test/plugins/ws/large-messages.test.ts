import { once } from "node:events";
import { connectHost, dialWebSocket } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { MOST_PICTURE_BYTES } from "../../../plugins/web/page/chat/pictures.ts";
import { ask } from "../host/home.ts";
import { challenge, openPage, testWeb } from "./home.ts";

const MAX_STRANGERS_MESSAGE = 1024 * 1024;
const MAX_MESSAGE = 16 * 1024 * 1024;

describe("a client that sends its token in its first message, as a page does", () => {
  it("may send as much in one message as the page takes pictures for one", async () => {
    await using t = await testWeb();
    const client = await connectHost({
      dial: () => dialWebSocket(t.address, (url) => new WebSocket(url) as never),
      version: "1.0.0",
      token: () => t.token(),
    });
    const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
    const base64 = "A".repeat(Math.ceil(MOST_PICTURE_BYTES / 3) * 4);
    expect(await ask(client, sessionId, base64)).toBe(`echo: ${base64}`);
    await client.close();
  });

  it("is limited like one that sent its token while it connected", async () => {
    await using t = await testWeb();
    await using page = await openPage(t);
    expect(await page.enter(t.token())).toMatchObject({ type: "welcome", maxMessage: MAX_MESSAGE });
    const closed = once(page.socket, "close");
    page.socket.send("x".repeat(MAX_MESSAGE + 1));
    expect(await page.next()).toMatchObject({
      type: "closing",
      error: { code: "WS_TOO_LARGE", data: { max: MAX_MESSAGE } },
    });
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1009, `a message may have at most ${MAX_MESSAGE} bytes`]);
  });

  it("may send less before, also after the host has proved to know the token", async () => {
    await using t = await testWeb();
    await using page = await openPage(t);
    page.send(challenge(t.token(), `127.0.0.1:${t.port}`));
    await page.next();
    page.socket.send("x".repeat(MAX_STRANGERS_MESSAGE + 1));
    expect(await page.next()).toMatchObject({
      type: "closing",
      error: { code: "WS_TOO_LARGE", data: { max: MAX_STRANGERS_MESSAGE } },
    });
  });
});
