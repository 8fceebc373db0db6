import { connect } from "node:net";
import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { testWeb } from "./home.ts";

/** The headers with which programs in Java, and `curl --http2`, offer HTTP/2. */
const OFFER = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAA",
];

it("requests that offer another protocol than WebSocket are answered over HTTP, with their bodies; CONNECT is refused", async () => {
  await using t = await testWeb();
  let answers = "";
  const socket = connect(t.port, "127.0.0.1").on("data", (chunk) => {
    answers += chunk;
  });
  const post = (body: string) => {
    answers = "";
    const about = [
      `Authorization: Bearer ${t.token()}`,
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
    ];
    const lines = [
      `POST /operations/create_session HTTP/1.1`,
      `Host: 127.0.0.1:${t.port}`,
      ...OFFER,
      ...about,
      "",
      body,
    ];
    socket.write(lines.join("\r\n"));
  };
  for (const _each of [1, 2]) {
    post(JSON.stringify({ cwd: t.home.cwd }));
    await eventually(() => expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n.+"sessionId"/s));
  }
  socket.write(`CONNECT 127.0.0.1:${t.port} HTTP/1.1\r\nHost: 127.0.0.1:${t.port}\r\n\r\n`);
  await eventually(() => expect(answers).toMatch(/}HTTP\/1\.1 400 /));
});
