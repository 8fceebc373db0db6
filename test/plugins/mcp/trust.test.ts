import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { McpConfig } from "../../../plugins/mcp/config.ts";
import { definitionsOf } from "../../../plugins/mcp/servers/definitions.ts";
import { createTrustService } from "../../../presets/composition/trust.ts";
import { askedIn, composed } from "../../presets/asked.ts";
import { type Place, place } from "../../presets/place.ts";

const json = (servers: object) => JSON.stringify({ mcpServers: servers });

function run({ project }: Place) {
  const { asked, notices } = askedIn(project, { preset: "coding" });
  const composition = composed(asked);
  return {
    notices,
    review: () => createTrustService(asked).review(project, true),
    async definitions() {
      const made = await composition.sessionPlugins(project);
      const found = made.entries.find(({ plugin }) => plugin.id === "mcp");
      const problems: string[] = [];
      const given = found?.plugin.config?.parse(found.config ?? {}) as McpConfig;
      const definitions = definitionsOf(given, { cwd: project, root: project, ...made } as never, (thrown) =>
        problems.push((thrown as Error).message),
      );
      return { definitions, problems };
    },
  };
}

it("a project's .mcp.json starts nothing before it is trusted, and the question names each program and address", async () => {
  using at = place();
  at.file(
    ".mcp.json",
    json({
      tracker: { command: "npx", args: ["-y", "tracker"], env: { MODE: "read" } },
      remote: { type: "http", url: "https://mcp.example.com/v1" },
      odd: { type: "sse", url: "https://example.com" },
      off: { command: "npx", args: ["off"], disabled: true },
    }),
  );
  expect((await run(at).definitions()).definitions).toEqual([]);
  expect(run(at).notices).toEqual([]);
  const review = await run(at).review();
  expect(review?.items).toEqual([
    { kind: "code", what: "MCP server tracker: starts MODE=read npx -y tracker", place: ".mcp.json" },
    {
      kind: "redirect",
      what: "MCP server remote: data from the model is sent to https://mcp.example.com/v1",
      place: ".mcp.json",
    },
    { kind: "other", what: 'MCP server odd: not used, as its type "sse" is not supported', place: ".mcp.json" },
  ]);
  await review?.accept();
  const { definitions, problems } = await run(at).definitions();
  expect(definitions).toMatchObject([
    { name: "tracker", ofProject: true, way: { command: "npx", args: ["-y", "tracker"], env: { MODE: "read" } } },
    { name: "remote", ofProject: true, way: { url: "https://mcp.example.com/v1" } },
  ]);
  expect(problems).toEqual([expect.stringContaining('The server "odd"')]);
});

it("the question shows what headers send, and does not cut off a program because of a long word before it", async () => {
  using at = place();
  const sent = { Authorization: `Bearer ${"$"}{PRIVATE_TOKEN}`, "X-Of": "shop" };
  at.file(
    ".mcp.json",
    json({
      remote: { type: "http", url: "https://mcp.example.com/v1", headers: sent },
      long: { command: "sh", args: ["-c", "curl example.com"], env: { PAD: "x".repeat(600) } },
    }),
  );
  const review = await run(at).review();
  const seen = review?.items.map(({ what }) => what);
  expect(seen).toEqual([
    `MCP server remote: data from the model is sent to https://mcp.example.com/v1, with the headers Authorization: Bearer ${"$"}{PRIVATE_TOKEN} X-Of: shop`,
    `MCP server long: starts PAD=${"x".repeat(496)}… (104 more characters are in .mcp.json) sh -c 'curl example.com'`,
  ]);
});

it("the question shows where each word of a program begins and ends, its folder, and the name that sessions use", async () => {
  using at = place();
  const reference = `${"$"}{TOKEN}`;
  at.file(
    ".mcp.json",
    json({
      one: { command: "run", args: ["a b"], env: { A: "x npx", TOKEN: reference } },
      "my two": { command: "run", args: ["a", "b", "", "it's", "line\nbreak"] },
      three: { command: "./run", cwd: "/tmp/x" },
    }),
  );
  expect((await run(at).review())?.items.map(({ what }) => what)).toEqual([
    `MCP server one: starts 'A=x npx' TOKEN=${reference} run 'a b'`,
    "MCP server my-two: starts run a b '' 'it'\\''s' 'line\\u{a}break'",
    "MCP server three: starts ./run, in the folder /tmp/x",
  ]);
});

it("a .mcp.json that has changed since is not used, and one that is a link is refused", async () => {
  using at = place();
  at.file(".mcp.json", json({ a: { command: "one" } }));
  await (await run(at).review())?.accept();
  expect((await run(at).definitions()).definitions).toHaveLength(1);
  at.file(".mcp.json", json({ a: { command: "two" } }));
  expect((await run(at).definitions()).definitions).toEqual([]);

  using other = place();
  symlinkSync(at.file("mcp.json", "{}"), join(other.project, ".mcp.json"));
  await expect(run(other).review()).rejects.toThrow("is a link to");
});

it("servers of a project's configuration join the user's, are marked as the project's, and are each named in the question", async () => {
  using at = place();
  at.file("~/.scorel/config.toml", '[[mcp.servers]]\nname = "own"\ncommand = "mine"\n');
  const padding = "x".repeat(190);
  at.file(
    ".scorel/config.toml",
    '[mcp]\nvariables = ["SECRET"]\n',
    `[[mcp.servers]]\nname = "first"\ncommand = "harmless"\nargs = ["${padding}"]\n`,
    '[[mcp.servers]]\nname = "own"\ncommand = "theirs"\nofProject = false\n',
  );
  const review = await run(at).review();
  const items = review?.items.filter(({ kind }) => kind === "code").map(({ what }) => what) ?? [];
  expect(items).toHaveLength(2);
  expect(items[0]).toContain(padding);
  expect(items[1]).toMatch(/^mcp\.servers\.1 = .*"command":"theirs".*its program runs with your rights/);
  expect(review?.items.find(({ what }) => what.startsWith("mcp.variables"))?.what).toContain("no effect");
  await review?.accept();
  const { definitions, problems } = await run(at).definitions();
  expect(definitions).toMatchObject([
    { name: "own", ofProject: false, way: { command: "mine" } },
    { name: "first", ofProject: true, place: join(at.project, ".scorel/config.toml") },
  ]);
  expect(problems).toEqual([expect.stringContaining('The MCP server "own"')]);
});
