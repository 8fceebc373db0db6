import { expect, it } from "vitest";
import { text } from "../../model-server.ts";
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

it("/mcp restart starts a server anew, and refuses one that there is not", async () => {
  await using t = await talk([text("Hello.")], { servers: [server("test", ["--only=echo"])] });
  await t.say("Go.");
  expect((await run(t, "restart test")).output).toContain("test: up");
  await expect(run(t, "restart other")).rejects.toThrow('There is no MCP server "other". There are: test.');
});

it("/mcp of a session without servers says how to add one", async () => {
  await using t = await talk([], { servers: [] });
  expect((await run(t)).output).toBe("No MCP servers are configured. To add one: scorel mcp add");
});
