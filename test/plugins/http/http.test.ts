import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ARRIVAL_MS, Bodies } from "../../../plugins/http/bodies.ts";
import { openApi } from "../../../plugins/http/openapi.ts";
import { createFor } from "../../../plugins/web-server/http-server.ts";
import { eventually } from "../../eventually.ts";
import { echoAgent } from "../host/home.ts";
import { testWeb } from "../ws/home.ts";

type Web = Awaited<ReturnType<typeof testWeb>>;

/** Sends a request with a token, and returns status and body. */
async function send(t: Web, path: string, init: RequestInit & { token?: string } = {}) {
  const headers = { Authorization: `Bearer ${init.token ?? t.token()}`, ...init.headers };
  const response = await fetch(`http://127.0.0.1:${t.port}${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const json = { "Content-Type": "application/json" };
const post = (t: Web, operation: string, params: object, token = t.token()) =>
  send(t, `/operations/${operation}`, { method: "POST", headers: json, body: JSON.stringify(params), token });

describe("operations over HTTP", () => {
  it("have the results and errors of the host", async () => {
    await using t = await testWeb();
    const { body: created } = await post(t, "create_session", { cwd: t.home.cwd });
    const { sessionId } = created;
    const { body: sent } = await post(t, "send_message", { sessionId, content: "hello" });
    expect((await post(t, "wait_turn", { sessionId, id: sent.id })).body).toMatchObject({ text: "echo: hello" });
    const own = await t.client.request("get_events", { sessionId });
    expect(await post(t, "get_events", { sessionId })).toEqual({ status: 200, body: JSON.parse(JSON.stringify(own)) });
    const refused = async (operation: string, params: object) => {
      const { status, body } = await post(t, operation, params);
      return [status, body.error.code];
    };
    expect(await refused("get_events", { sessionId: "nothing" })).toEqual([404, "SESSION_UNKNOWN"]);
    expect(await refused("get_events", {})).toEqual([400, "HOST_PARAMS_INVALID"]);
    expect(await refused("nothing", {})).toEqual([404, "HOST_OPERATION_UNKNOWN"]);
  });

  it("accept JSON alone, of limited size and depth, and change nothing on GET", async () => {
    await using t = await testWeb();
    const create = (type: string, body: string | undefined) =>
      send(t, "/operations/create_session", { method: "POST", headers: { "Content-Type": type }, body: body ?? null });
    const params = JSON.stringify({ cwd: t.home.cwd });
    const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json5"];
    for (const type of types)
      expect(await create(type, params)).toMatchObject({ status: 415, body: { error: { code: "HTTP_TYPE" } } });
    for (const body of ["{", "[]", "null", "1", `{"a":${"[".repeat(99)}${"]".repeat(99)}}`])
      expect(await create("application/json", body)).toMatchObject({
        status: 400,
        body: { error: { code: "HTTP_BODY" } },
      });
    expect((await create("application/json", "x".repeat(17 * 1024 * 1024))).status).toBe(413);
    const names = Object.keys((await send(t, "/openapi.json")).body.paths);
    const posts = names.filter((path) => path.startsWith("/operations/"));
    expect(posts.length).toBeGreaterThan(10);
    for (const path of posts) expect((await send(t, path)).status).toBe(405);
    expect((await t.client.request("list_sessions", {})).sessions).toEqual([]);
  });

  it("limit the bytes of all bodies of a token together, and refuse a body that announces too much", async () => {
    await using t = await testWeb();
    const begin = (length: number, sent: number) => {
      const socket = connect(t.port, "127.0.0.1");
      let answer = "";
      socket.on("error", () => {});
      socket.setEncoding("utf8").on("data", (text) => {
        answer += text;
      });
      const head = [
        "POST /operations/ping HTTP/1.1",
        `Host: 127.0.0.1:${t.port}`,
        `Authorization: Bearer ${t.token()}`,
      ];
      socket.write(`${[...head, "Content-Type: application/json", `Content-Length: ${length}`].join("\r\n")}\r\n\r\n`);
      socket.write("x".repeat(sent));
      return { socket, answer: () => answer };
    };
    const mega = 1024 * 1024;
    const soon = { timeout: 30_000 };
    const large = begin(17 * mega, 0);
    await expect.poll(large.answer, soon).toContain("413 ");
    const unfinished = [1, 2, 3, 4].map(() => begin(16 * mega, 15 * mega));
    await expect.poll(() => unfinished.filter(({ answer }) => answer().includes("429 ")).length, soon).toBe(1);
    expect(unfinished.map(({ answer }) => answer()).join("")).toContain("HTTP_FULL");
    for (const { socket } of [large, ...unfinished]) socket.destroy();
    // The memory for these bodies is free again.
    await expect.poll(async () => (await post(t, "ping", { text: "x".repeat(15 * mega) })).status, soon).toBe(400);
  });

  it("are not waited for when a body does not arrive", async () => {
    const bodies = new Bodies(50);
    const request = Object.assign(new PassThrough(), { headers: { "content-type": "application/json" } });
    const read = bodies.with(request as unknown as IncomingMessage, "token", async () => {});
    await expect(read).rejects.toMatchObject({ code: "HTTP_SLOW" });
  });

  it("have as long for their bodies as HTTP_SLOW says: the web server does not end the request before", async () => {
    const { requestTimeout } = await createFor(undefined);
    expect(requestTimeout).toBeGreaterThan(ARRIVAL_MS);
  });

  it("of plugins are told when the connection is closed before the answer, and not after it", async () => {
    const asked: AbortSignal[] = [];
    const slow = definePlugin({
      ...{ id: "slow", name: "Slow", version: "1.0.0" },
      operations: () => ({
        slow: {
          params: z.strictObject({ sessionId: z.string(), atOnce: z.boolean().optional() }),
          run: ({ atOnce }: { atOnce?: boolean }, { signal }: { signal: AbortSignal }) => {
            asked.push(signal);
            return atOnce ? {} : new Promise(() => {});
          },
        },
      }),
    } as never);
    await using t = await testWeb({}, {}, [echoAgent, slow]);
    const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
    const cut = new AbortController();
    const headers = { ...json, Authorization: `Bearer ${t.token()}` };
    const body = JSON.stringify({ sessionId });
    const address = `http://127.0.0.1:${t.port}/operations/slow`;
    const left = fetch(address, { method: "POST", headers, body, signal: cut.signal });
    await expect.poll(() => asked.length).toBe(1);
    expect(await post(t, "slow", { sessionId, atOnce: true })).toEqual({ status: 200, body: {} });
    cut.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => asked.map(({ aborted, reason }) => aborted && reason.code)).toEqual(["HTTP_LEFT", false]);
  });

  it("are limited by the scope of the token", async () => {
    await using t = await testWeb();
    await t.write("viewer", ["view"]);
    const token = t.token("viewer");
    const refused = await post(t, "create_session", { cwd: t.home.cwd }, token);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: "HOST_FORBIDDEN" } } });
    const { paths } = (await send(t, "/openapi.json", { token })).body;
    expect([paths["/operations/list_sessions"] !== undefined, paths["/operations/send_message"]]).toEqual([
      true,
      undefined,
    ]);
  });
});

describe("a refused request", () => {
  it("gets JSON that says what to do, and learns nothing of what exists", async () => {
    await using t = await testWeb();
    const refused = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`http://127.0.0.1:${t.port}${path}`, init);
      const { error, ...more } = (await response.json()) as { error: { code: string; message: string } };
      expect([response.headers.get("content-type"), more]).toEqual(["application/json", {}]);
      return [response.status, Object.keys(error), error.code, error.message];
    };
    const fields = ["code", "message"];
    const anonymous = [401, fields, "WEB_TOKEN", expect.stringContaining("`scorel host curlrc`")];
    for (const path of ["/operations/list_sessions", "/openapi.json", "/nothing"])
      expect(await refused(path)).toEqual(anonymous);
    const known = { headers: { Authorization: `Bearer ${t.token()}` } };
    expect(await refused("/nothing", known)).toEqual([
      404,
      fields,
      "WEB_PATH",
      expect.stringContaining("/openapi.json"),
    ]);
    expect(await refused("/operations/list_sessions", known)).toEqual([405, fields, "WEB_METHOD", expect.any(String)]);
    const { paths } = (await send(t, "/openapi.json")).body;
    expect(paths["/operations/list_sessions"].post.responses.default.description).toContain("without a token (401)");
  });
});

describe("events over HTTP", () => {
  it("continue after the position of the last one, and refuse an invalid position", async () => {
    await using t = await testWeb();
    const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
    const { id } = (await post(t, "send_message", { sessionId, content: "hello" })).body;
    await post(t, "wait_turn", { sessionId, id });
    const path = `/sessions/${sessionId}/events`;
    const all = await follow(t, `${path}?tail=all`, {}, 3);
    expect(all.map(({ event }) => event)).toEqual(["subscribed", "message", "message"]);
    const rest = await follow(t, path, { "Last-Event-ID": all[1]?.id ?? "" }, 2);
    expect(rest[1]).toEqual(all[2]);
    expect([...all.slice(1), ...rest.slice(1)].map(({ data }) => JSON.parse(data).replay)).toEqual([true, true, true]);
    for (const bad of ["x", Buffer.from("{}").toString("base64url"), "a".repeat(5_000)])
      expect((await send(t, path, { headers: { "Last-Event-ID": bad } })).body.error.code).toBe("HTTP_POSITION");
    expect((await send(t, `${path}?tail=-1`)).body.error.code).toBe("HTTP_TAIL");
    expect((await send(t, "/sessions/nothing/events")).status).toBe(404);
    expect((await send(t, "/sessions/../etc/events")).status).toBe(404);
  });

  it("are marked as a replay if they are from before, and live ones are not", async () => {
    await using t = await testWeb();
    const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
    const say = async (content: string) => {
      const { id } = (await post(t, "send_message", { sessionId, content })).body;
      await post(t, "wait_turn", { sessionId, id });
    };
    await say("before");
    const following = follow(t, `/sessions/${sessionId}/events?tail=all`, {}, 5, () => say("now"));
    const [, ...sent] = (await following).map(({ data }) => JSON.parse(data));
    expect(sent.map(({ replay }) => replay)).toEqual([true, true, undefined, undefined]);
    const { paths } = (await send(t, "/openapi.json")).body;
    const data = paths["/sessions/{sessionId}/events"].get.responses[200]["x-scorel-event-data"];
    expect(Object.keys(data.properties)).toEqual(["event", "display", "replay"]);
  });

  it("end when the token is replaced", async () => {
    await using t = await testWeb();
    const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
    const headers = { Authorization: `Bearer ${t.token()}` };
    const response = await fetch(`http://127.0.0.1:${t.port}/sessions/${sessionId}/events`, { headers });
    await t.write("owner", ["admin"]);
    await expect(response.text()).rejects.toThrow();
  });
});

it("a client that reads no events misses transient ones, and gets all stored ones once it reads again", async () => {
  let emit = (_text: string): void => {};
  let append = async (_text: string): Promise<unknown> => undefined;
  const talker = definePlugin({
    id: "talker",
    name: "Talker",
    version: "1.0.0",
    events: {
      words: { schema: z.strictObject({ text: z.string() }), transient: true },
      line: { schema: z.strictObject({ text: z.string() }) },
    },
    activate: ({ session }) => {
      emit = (text) => (session as any).emit("words", { text });
      append = (text) => (session as any).append("line", { text });
    },
  });
  await using t = await testWeb({}, {}, [talker]);
  const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
  const socket = connect(t.port, "127.0.0.1").setEncoding("latin1");
  const lines = [
    `GET /sessions/${sessionId}/events HTTP/1.1`,
    `Host: 127.0.0.1:${t.port}`,
    `Authorization: Bearer ${t.token()}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let received = "";
  socket.on("data", (text) => {
    received += text;
  });
  await eventually(() => expect(received).toContain("event: subscribed"));
  socket.pause();
  // More than the buffers of both ends can take.
  for (let n = 0; n < 2_000; n++) {
    emit("x".repeat(10_000));
    if (n % 500 === 0) await append(`${n}`);
    if (n % 50 === 0) await t.client.request("get_status", { sessionId });
  }
  await append("the last");
  socket.resume();
  await eventually(() => expect(received).toContain("the last"));
  socket.destroy();
  const count = (type: string) => received.split(`event: ${type}\n`).length - 1;
  expect([count("line"), count("missed")]).toEqual([5, 1]);
  expect(count("words")).toBeLessThan(1_000);
});

describe("GET /openapi.json", () => {
  it("describes every operation by the schemas of list_operations, with references that stay within them", async () => {
    await using t = await testWeb();
    const { sessionId } = (await post(t, "create_session", { cwd: t.home.cwd })).body;
    const { operations } = await t.client.request("list_operations", { sessionId });
    const { body } = await send(t, `/openapi.json?session=${sessionId}`);
    expect(body).toEqual(JSON.parse(JSON.stringify(openApi("1.0.0", operations))));
    const schemas = Object.values<any>(body.paths).flatMap(({ post }) =>
      post ? [post.requestBody.content["application/json"].schema] : [],
    );
    expect(schemas.filter((each) => JSON.stringify(each).includes('"$ref":"#') && each.$id === undefined)).toEqual([]);
  });
});

/** The first `count` events of a stream. `then` runs once the stream has begun. */
async function follow(
  t: Web,
  path: string,
  headers: Record<string, string>,
  count: number,
  then?: () => Promise<void>,
) {
  const stop = new AbortController();
  const all = { Authorization: `Bearer ${t.token()}`, ...headers };
  const response = await fetch(`http://127.0.0.1:${t.port}${path}`, { headers: all, signal: stop.signal });
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    // The replayed events have arrived, so events from now on are live.
    if (then && text.split("\n\n").length > 3) {
      const act = then;
      then = undefined;
      await act();
    }
    if (text.split("\n\n").length > count) break;
  }
  stop.abort();
  const field = (block: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
  const blocks = text.split("\n\n").slice(0, count);
  return blocks.map((block) => ({ id: field(block, "id"), event: field(block, "event"), data: field(block, "data") }));
}
