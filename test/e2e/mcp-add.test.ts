import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
  expect(await added("add", "far", "https://a.test/mcp", "more")).toMatch(
    /^scorel: Specify either the server's program/,
  );
  expect(await added("add", "far", "-t", "http")).toMatch(/^scorel: Specify either the server's program/);
  expect(await added("add", "far", "-t", "http", "a.test")).toContain("a.test is not an address");
  expect(await added("add", "far", "-t", "stdio", "--", "https://a.test")).toEqual({
    name: "far",
    command: "https://a.test",
  });
  expect(await added("add", "-t", "sse", "far", "https://a.test/sse")).toContain("only be reached over SSE");
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
  expect(await added("add", "far", "https://a.test", "-H", "secret")).toMatch(/takes NAME=VALUE or "NAME: VALUE"/);
  expect(await added("add", "far", "https://a.test", "--bearer-token-env-var", "a b")).toContain("name of a variable");
  expect(await added("add", "far", "npx", "-y", "far-server")).toContain("put -- before that");
});

it("a scope is all sessions of the user, or those of this project", async () => {
  expect(await added("add", "a", "-s", "local", "--", "run")).toEqual({
    ...{ name: "a", command: "run", projects: ["PROJECT"] },
  });
});

it("the scope project writes the project's .mcp.json, which is used once the project is trusted", async () => {
  using s = scratch({ inProcess: true });
  s.file(".git/HEAD", "ref: refs/heads/main\n");
  mkdirSync(join(s.project, "lib"));
  const add = (action: string, ...args: string[]) =>
    s.run(["mcp", action, "--scope", "project", ...args], { cwd: join(s.project, "lib") });
  const path = join(s.project, ".mcp.json");
  const first = await add("add", "air", "-e", `KEY=${reference("KEY")}`, "--", "npx", "-y", "air-server");
  expect([first.code, first.stdout]).toEqual([
    0,
    `Added air to ${path}. The project's servers are used once you trust it, and again after each change: scorel trust add ${s.project}\n`,
  ]);
  const air = { command: "npx", args: ["-y", "air-server"], env: { KEY: reference("KEY") } };
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ mcpServers: { air } });
  expect((await s.run(["mcp", "list"])).stdout).not.toContain("air");
  expect((await s.run(["trust", "add", "--yes"])).code).toBe(0);
  expect((await s.run(["mcp", "list"])).stdout).toContain("air  npx -y air-server");

  // Everything else in the file stays, also its indentation.
  s.file(".mcp.json", `{\n\t"note": "ours",\n\t"mcpServers": { "Old": { "command": "old", "timeout": 5 } }\n}\n`);
  expect((await add("add-json", "far", '{"url":"https://a.test"}')).code).toBe(0);
  const old = { command: "old", timeout: 5 };
  const both = { note: "ours", mcpServers: { Old: old, far: { type: "http", url: "https://a.test" } } };
  expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(both, null, "\t")}\n`);
  expect((await add("add", "old", "--", "run")).stderr).toContain('already has an MCP server "old"');
  expect((await add("add", "slow", "--timeout", "5", "--", "run")).stderr).toContain(
    "only for a server with the scope",
  );
});

it("a project's .mcp.json that cannot be edited safely stays as it is", async () => {
  using s = scratch({ inProcess: true });
  const add = () => s.run(["mcp", "add", "air", "--scope", "project", "--", "run"]);
  for (const text of ["{ broken", "[]", '{ "mcpServers": [] }']) {
    const file = s.file(".mcp.json", text);
    const { code, stderr } = await add();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Add this below "mcpServers":\n"air": {"command":"run"}`),
    ]);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
  const path = join(s.project, ".mcp.json");
  const latin = Buffer.from('{ "note": "\u00e9" }', "latin1");
  writeFileSync(path, latin);
  expect((await add()).stderr).toContain("it is not UTF-8 text");
  expect(readFileSync(path)).toEqual(latin);
  rmSync(path);
  symlinkSync(s.file("elsewhere.json", "{}"), path);
  expect((await add()).stderr).toContain("it is a symbolic link");
  expect(readFileSync(join(s.project, "elsewhere.json"), "utf8")).toBe("{}");
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
