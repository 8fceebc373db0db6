import { expect, it } from "vitest";
import { text, toolCall } from "../../model-server.ts";
import { startHttpServer } from "./http-server.ts";
import { server, type Talk, talk } from "./setup.ts";

const run = ({ client, sessionId }: Talk, args = "") =>
  client.request("run_command", { sessionId, name: "mcp", args }) as Promise<{ output?: string }>;

it("/mcp shows the servers of a session with their tools and problems", async () => {
  await using t = await talk([text("Hello.")], {
    servers: [server("test", ["--only=echo,fail"]), server("bad", ["--dies"])],
  });
  await t.say("Go.");
  expect(await run(t)).toMatchObject({
    output: [
      "test: up, test 1.2.3, 2 tools",
      "  mcp__test__echo",
      "  mcp__test__fail",
      "bad: failed, 0 tools",
      "  exit code 4; it wrote: the licence is missing",
    ].join("\n"),
  });
});

it("/mcp restart restarts a server, and refuses an unknown one", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", ["--only=echo"])] });
  await t.say("Go.");
  expect((await run(t, "restart test")).output).toContain("test: up");
  await expect(run(t, "restart other")).rejects.toThrow('There is no MCP server "other". There are: test.');
});

it("/mcp restart starts no server that is switched off", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", ["--only=echo"], { enabled: false })] });
  await t.say("Go.");
  await expect(run(t, "restart test")).rejects.toThrow('"test" is switched off with enabled = false');
  expect((await run(t)).output).toBe("test: disabled, 0 tools");
});

it("a client is shown a server's program without keys among its arguments", async () => {
  const [program] = server("test").args;
  const args = ["--only=echo", "--api-key", "k1", "--url=https://me:it's-k2@example.com/?k=k3"];
  await using t = await talk([text("Hello.")], { servers: [server("test", args)] });
  await t.say("Go.");
  const { servers } = await t.client.request("list_mcp_servers", { sessionId: t.sessionId });
  expect(servers.map(({ target }) => target)).toEqual([
    `${process.execPath} ${program} --only=echo --api-key [hidden] --url=https://example.com/`,
  ]);
});

it("/mcp of a session without servers says how to add one", async () => {
  await using t = await talk([], { servers: [] });
  expect((await run(t)).output).toBe("No MCP servers are configured. To add one: scorel mcp add");
});

it("/mcp says which tools the model has to search for, and which it has found", async () => {
  const script = [toolCall("ToolSearch", { names: ["echo"] }), text("Done.")];
  await using t = await talk(script, { config: { toolBudget: 2 }, servers: [server("test", ["--only=echo,fail"])] });
  await t.say("Go.");
  expect((await run(t)).output).toBe(
    "test: up, test 1.2.3, 2 tools\n  mcp__test__echo\n  mcp__test__fail  (found with ToolSearch)",
  );
});

it("/mcp says whether there is a login at a server with an address and without a key", async () => {
  await using remote = await startHttpServer();
  const headers = { Authorization: "Bearer x" };
  const servers = [
    { name: "far", url: remote.url },
    { name: "key", url: remote.url, headers },
    { name: "flaw", url: `${remote.url}/\${NO_SUCH_VARIABLE}` },
  ];
  await using t = await talk([text("Hello.")], { servers });
  await t.say("Go.");
  const { output = "" } = await run(t);
  expect(output).toContain("far: up, remote 2, not logged in, 2 tools");
  expect(output).toContain("key: up, remote 2, 2 tools");
  expect(output).toContain("flaw: failed, login unknown, 0 tools");
});

it("/mcp says what a server has asked for, also when it does not get it", async () => {
  const names = ["roots", "ask", "ask", "sample"];
  const args = [{}, { message: "Who?", requestedSchema: { type: "object", properties: {} } }];
  const script = names.map((name, at) =>
    toolCall(
      `mcp__test__${name}`,
      [
        ...args,
        { mode: "url", message: "Open", url: "https://a.test", elicitationId: "1" },
        { messages: [], maxTokens: 5 },
      ][at] as object,
    ),
  );
  await using t = await talk([...script, text("Done.")], { servers: [server("test", ["--only=roots,ask,sample"])] });
  await t.say("Go.");
  expect((await run(t)).output).toContain(
    "  has asked for the project's folder, answers of yours, an address to be opened, answers of the model\n",
  );
});
