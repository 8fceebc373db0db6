import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { scratch } from "./scorel.ts";

const reference = (name: string) => `\${${name}}`;

/** Runs a command line; returns the server that it added, or the first line of the error. */
async function added(...args: string[]): Promise<unknown> {
  using s = scratch({ inProcess: true });
  const { code, stderr } = await s.run(["mcp", ...args]);
  if (code !== 0) return stderr.split("\n")[0];
  const { mcp } = parse(readFileSync(join(s.home, ".scorel/config.toml"), "utf8")) as any;
  return JSON.parse(JSON.stringify(mcp.servers[0]).replaceAll(s.project, "PROJECT"));
}

it("an address in place of a program adds a server at that address", async () => {
  const far = { name: "far", url: "https://a.test/mcp" };
  expect(await added("add", "far", "https://a.test/mcp")).toEqual(far);
  expect(await added("add", "--transport", "http", "far", "https://a.test/mcp")).toEqual(far);
  expect(await added("add", "-t", "http", "-s", "user", "far", "--url", "https://a.test/mcp")).toEqual(far);
  expect(await added("add", "far", "https://a.test/mcp", "more")).toMatch(/^scorel: Give either the program/);
  expect(await added("add", "far", "-t", "http")).toMatch(/^scorel: Give either the program/);
  expect(await added("add", "far", "-t", "http", "a.test")).toContain("a.test is not an address");
  expect(await added("add", "far", "-t", "stdio", "--", "https://a.test")).toEqual({
    name: "far",
    command: "https://a.test",
  });
  expect(await added("add", "-t", "sse", "far", "https://a.test/sse")).toContain("only reached over SSE");
});

it("every character is written so that the file stays valid", async () => {
  const args = ["a\u007fb", "\u0000\u001b\u2028\u0085", '"\\'];
  const json = JSON.stringify({ command: "node", args, env: { TOKEN: "canary" } });
  expect(await added("add-json", "odd", json)).toEqual({
    name: "odd",
    command: "node",
    args,
    env: { TOKEN: "canary" },
  });
});

it("options and headers may be written as for other agents", async () => {
  expect(await added("add", "-e", "A=1", "--env", "B=x=2", "air", "--", "npx", "-y", "air-server")).toEqual({
    ...{ name: "air", command: "npx", args: ["-y", "air-server"] },
    env: { A: "1", B: "x=2" },
  });
  const written = ["-H", "X-Key: a=b:c", "--header", "X-Other=d", "--bearer-token-env-var", "TOKEN"];
  expect(await added("add", "far", "https://a.test", ...written)).toMatchObject({
    headers: { "X-Key": "a=b:c", "X-Other": "d", Authorization: `Bearer ${reference("TOKEN")}` },
  });
  expect(await added("add", "far", "https://a.test", "-H", "secret")).toMatch(/given as NAME=VALUE or "NAME: VALUE"/);
  expect(await added("add", "far", "https://a.test", "--bearer-token-env-var", "a b")).toContain("name of a variable");
  expect(await added("add", "far", "npx", "-y", "far-server")).toContain("put -- before that");
});

it("the scope is all sessions of the user or those of this project, and the project's own file is never changed", async () => {
  expect(await added("add", "a", "-s", "local", "--", "run")).toEqual({
    ...{ name: "a", command: "run", projects: ["PROJECT"] },
  });
  expect(await added("add", "a", "--scope", "project", "--", "run")).toMatch(/"a" below "mcpServers" in .*\.mcp\.json/);
});

it("a server may be given as JSON, which no error quotes", async () => {
  const json = JSON.stringify({ type: "http", url: "https://a.test", headers: { "X-Key": "k" } });
  expect(await added("add-json", "far", json)).toEqual({
    ...{ name: "far", url: "https://a.test", headers: { "X-Key": "k" } },
  });
  expect(await added("add-json", "far", '{"command":"run","args":["-y"]}', "--scope", "local")).toEqual({
    ...{ name: "far", command: "run", args: ["-y"], projects: ["PROJECT"] },
  });
  const broken = await added("add-json", "far", '{"env":{"KEY":secret}}');
  expect(broken).toContain("it is not valid JSON");
  expect(broken).not.toContain("secret");
  expect(await added("add-json", "far", "[]")).toContain('The server "far" cannot be added: ');
  expect(await added("add-json", "far", '{"type":"sse","url":"https://a.test"}')).toContain('"sse" is not supported');
  expect(await added("add-json", "a__b", "{}")).toContain('cannot be called "a__b"');
});
