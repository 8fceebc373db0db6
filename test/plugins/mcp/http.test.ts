import { expect, it } from "vitest";
import { serverTable } from "../../../plugins/mcp/config.ts";
import { text, toolCall } from "../../model-server.ts";
import { startHttpServer } from "./http-server.ts";
import { lastText, offered, talk } from "./setup.ts";

const variable = (name: string) => `\${${name}}`;

it.each([false, true])("a server at an address answers calls; as a stream of events: %s", async (streams) => {
  await using remote = await startHttpServer({ streams });
  await using t = await talk([toolCall("mcp__far__echo", { a: 1 }), text("Done.")], {
    servers: [{ name: "far", url: remote.url }],
  });
  const requests = await t.say("Go.");
  expect(requests.map(offered)[0]).toEqual(["mcp__far__echo", "mcp__far__huge"]);
  expect(lastText(requests[1] as never)).toBe('{"a":1}');
  await t.close();
  expect(remote.seen.at(-1)?.method).toBe("DELETE");
});

it("the host of an address may come from a variable or its default", async () => {
  await using remote = await startHttpServer({});
  const { host } = new URL(remote.url);
  const url = remote.url.replace(host, variable(`FAR_HOST:-${host}`));
  await using t = await talk([text("Hello.")], { servers: [{ name: "far", url }] });
  const [request] = await t.say("Go.");
  expect(request && offered(request)).toEqual(["mcp__far__echo", "mcp__far__huge"]);
});

it.each([
  "far.example",
  "ftp://far.example",
  `${variable("FAR_SCHEME:-ftp")}://far.example`,
  `https://${variable("FAR_HOST")} /x`,
])("%s is no address of a server", (url) => {
  expect(serverTable.safeParse({ name: "far", url }).error?.issues[0]?.message).toBe("Invalid URL");
});

it("headers come from variables, reach the server with each request, and are in no error", async () => {
  process.env.FAR_KEY = "far-secret-key";
  try {
    await using remote = await startHttpServer({ key: "Bearer far-secret-key" });
    const headers = { Authorization: `Bearer ${variable("FAR_KEY")}` };
    await using t = await talk([toolCall("mcp__far__echo", { key: "far-secret-key" }), text("Done.")], {
      servers: [
        { name: "far", url: remote.url, headers },
        { name: "keyless", url: remote.url },
      ],
    });
    const requests = await t.say("Go.");
    expect(lastText(requests[1] as never)).toBe('{"key":"[redacted]"}');
    await t.client.drained(t.sessionId);
    const said = JSON.stringify(t.heard);
    expect(said).toContain('The MCP server \\"keyless\\" needs a login');
  } finally {
    delete process.env.FAR_KEY;
  }
});

it("a redirect to another origin is not followed, so that headers stay where they belong", async () => {
  await using other = await startHttpServer();
  await using remote = await startHttpServer({ redirect: other.url });
  await using t = await talk([text("Hello.")], {
    servers: [{ name: "far", url: remote.url, headers: { "x-key": "far-secret-key" } }],
  });
  await t.say("Go.");
  expect(other.seen).toEqual([]);
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toContain('The MCP server \\"far\\" could not be started');
});

it("a server that has forgotten the session gets the call once more, in a new one", async () => {
  await using remote = await startHttpServer();
  const calls = [1, 2].flatMap((a) => [toolCall("mcp__far__echo", { a }), text("Done.")]);
  await using t = await talk(calls, { servers: [{ name: "far", url: remote.url }] });
  await t.say("Go.");
  remote.forget();
  const requests = await t.say("Go on.");
  expect(lastText(requests[1] as never)).toBe('{"a":2}');
});

it("calls that learn one after the other that their session is forgotten share one new session", async () => {
  const initializations = () => remote.seen.filter(({ body }) => body?.method === "initialize").length;
  const isSecond = (message: any) => message.params?.arguments?.a === 2;
  await using remote = await startHttpServer({
    // The second call is refused when the first one has been repeated in the new session.
    beforeForgotten: (message) =>
      isSecond(message)
        ? expect.poll(() => remote.seen.filter(({ body }) => body?.params?.arguments).length).toBe(3)
        : undefined,
  });
  const calls = [1, 2].map((a) => toolCall("mcp__far__echo", { a }, { id: `call${a}` }));
  await using t = await talk([text("Hello."), calls, text("Done.")], { servers: [{ name: "far", url: remote.url }] });
  await t.say("Go.");
  remote.forget();
  const requests = await t.say("Go on.");
  const results = requests[1]?.body.messages.slice(-2).map(({ content }: any) => content[0].text ?? content);
  expect({ results, initializations: initializations() }).toEqual({
    results: ['{"a":1}', '{"a":2}'],
    initializations: 2,
  });
});

it("an answer that is too long is an error", async () => {
  await using remote = await startHttpServer();
  await using t = await talk([toolCall("mcp__far__huge", {}), text("Done.")], {
    servers: [{ name: "far", url: remote.url }],
  });
  expect(lastText((await t.say("Go."))[1] as never)).toContain("it sent a message of more than 16 MB");
});

it("a call whose event stream breaks fails at once, or is continued if the server gave ids", async () => {
  const results = (["lost", "resumable"] as const).map(async (breaks) => {
    await using remote = await startHttpServer({ breaks });
    await using t = await talk([toolCall("mcp__far__echo", { a: 1 }), text("Done.")], {
      servers: [{ name: "far", url: remote.url, timeout: 600 }],
    });
    return lastText((await t.say("Go."))[1] as never);
  });
  expect(await Promise.all(results)).toEqual([
    'The MCP server "far" could not do echo: the connection ended before the answer, so whether it took effect is not known',
    '{"a":1}',
  ]);
}, 20_000);

it("an address where nothing answers is reported with the reason", async () => {
  const gone = await startHttpServer();
  await gone[Symbol.asyncDispose]();
  await using t = await talk([text("Hello.")], { servers: [{ name: "far", url: gone.url }] });
  await t.say("Go.");
  await t.client.drained(t.sessionId);
  expect(JSON.stringify(t.heard)).toMatch(/could not be started: [^"]*ECONNREFUSED/);
});
