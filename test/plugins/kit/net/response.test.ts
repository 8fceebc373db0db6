import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { fetchResponse, responseTo } from "../../../../plugins/kit/net/response.ts";

/** A server that answers each connection with this text. */
async function answering(text: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.write(text));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { open: () => request(url, { method: "POST" }), [Symbol.dispose]: () => void server.close() };
}

const switching = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";

describe("the response to a request", () => {
  it("is resolved with its status", async () => {
    using server = await answering("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n");
    const message = await responseTo(server.open(), Buffer.from("hi"));
    expect(message.statusCode).toBe(204);
    message.destroy();
  });

  it("is an error if the server switches to another protocol", async () => {
    using server = await answering(switching);
    await expect(responseTo(server.open())).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect(fetchResponse(server.open(), undefined, undefined)).rejects.toMatchObject({
      name: "TypeError",
      message: "fetch failed",
      cause: { code: "ECONNRESET" },
    });
  });

  it("is rejected with the reason of an abort, before and while it is awaited", async () => {
    using server = await answering("");
    const reason = new Error("no longer wanted");
    await expect(fetchResponse(server.open(), undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
    const control = new AbortController();
    const sending = server.open();
    sending.on("socket", (socket) => socket.once("connect", () => control.abort(reason)));
    await expect(fetchResponse(sending, undefined, control.signal)).rejects.toBe(reason);
  });
});
