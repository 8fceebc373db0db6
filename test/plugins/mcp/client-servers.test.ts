import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canonical } from "../../../plugins/kit/files/paths.ts";
import { definitionsOf } from "../../../plugins/mcp/servers/definitions.ts";
import { expanded } from "../../../plugins/mcp/servers/variables.ts";
import { testHome } from "../host/home.ts";

const dollar = `\${HOME}`;

function definitions(mcpServers: readonly unknown[], more: object = {}, servers: readonly object[] = []) {
  const problems: string[] = [];
  const texts = mcpServers.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const place = { cwd: "/shop/lib", root: "/shop", mcpServers: texts, ...more };
  const found = definitionsOf({ servers: servers as never }, place, (thrown) =>
    problems.push((thrown as Error).message),
  );
  return { found, problems };
}

it("servers of a client start in the session's folder, with their values as they are", () => {
  const { found, problems } = definitions([
    { name: "Issue tracker", command: "/bin/tracker", args: [dollar], env: { API_KEY: "a-long-secret" } },
    { name: "docs", url: "https://docs.example.com/mcp", headers: { Authorization: `Bearer ${dollar}` } },
  ]);
  expect(problems).toEqual([]);
  expect(found.map(({ name, place, ofProject }) => [name, place, ofProject])).toEqual([
    ["Issue-tracker", "the client", false],
    ["docs", "the client", false],
  ]);
  const [tracker, docs] = found.map((each) =>
    expanded(each, { user: { HOME: "/home/ann" }, commands: {}, allowed: [] }),
  );
  expect(tracker?.way).toEqual({
    command: "/bin/tracker",
    args: [dollar],
    env: { API_KEY: "a-long-secret" },
    cwd: "/shop/lib",
  });
  expect(tracker?.secrets).toContain("a-long-secret");
  expect(docs?.way).toMatchObject({ headers: { Authorization: `Bearer ${dollar}` } });
});

it("a path such as ./server.mjs in a preset is that of its folder, and never that of a project, if the preset has it", () => {
  using home = testHome();
  const preset = join(home.home, "team");
  mkdirSync(join(preset, "mcp"), { recursive: true });
  const file = join(preset, "mcp/server.mjs");
  writeFileSync(file, "");
  const args = ["./mcp/server.mjs", "mcp/server.mjs", "./docs", "mcp", "./../docs"];
  const { found } = definitions([], { cwd: "/shop", root: "/shop" }, [
    { name: "team", command: "node", args, cwd: "./mcp", ofPreset: preset },
    { name: "own", command: "node", args, cwd: "./mcp" },
  ]);
  expect(found.map(({ way }) => way)).toEqual([
    { command: "node", args: [file, file, ...args.slice(2)], env: {}, cwd: join(preset, "mcp") },
    { command: "node", args, env: {}, cwd: "/shop/mcp" },
  ]);
});

it("a user's server that is limited to some projects is only in sessions there, and leaves its name to others elsewhere", () => {
  using home = testHome();
  const servers = [
    { name: "git", command: "only-here", projects: [home.cwd] },
    { name: "git", command: "only-there", projects: [join(home.cwd, "../other")] },
  ];
  const ways = (cwd: string) => {
    const { found, problems } = definitions([], { cwd, root: cwd }, servers);
    return [...found.map(({ way }) => (way as { command: string }).command), ...problems];
  };
  expect(ways(canonical(home.cwd))).toEqual(["only-here"]);
  expect(ways(join(canonical(home.cwd), "lib"))).toEqual(["only-here"]);
  expect(ways(`${canonical(home.cwd)}-2`)).toEqual([]);
});

it("a user's server precedes one of a client with the same name, which precedes one of a project", () => {
  const { found, problems } = definitions([{ name: "git", command: "editors-git" }], {}, [
    { name: "Git", command: "own-git" },
    { name: "git", command: "projects-git", ofProject: true },
  ]);
  expect(found.map(({ way }) => way)).toMatchObject([{ command: "own-git" }]);
  expect(problems).toHaveLength(2);
  const both = definitions([{ name: "git", command: "editors-git" }], {}, [
    { name: "git", command: "projects-git", ofProject: true },
  ]);
  expect(both.found.map(({ way }) => way)).toMatchObject([{ command: "editors-git" }]);
});

it("an invalid server is left out, without showing its keys", () => {
  const { found, problems } = definitions([
    "no JSON",
    { name: "bare" },
    { name: "odd", command: "x", env: { KEY: 5 } },
    { name: "good", command: "x" },
  ]);
  expect(found.map(({ name }) => name)).toEqual(["good"]);
  expect(problems).toHaveLength(3);
  expect(problems[1]).toBe('The MCP server "bare" of the client is left out: needs either a command or a url.');
  expect(problems[2]).toContain("env.KEY");
});

it("servers of a client are left out when the servers are locked", () => {
  const locks = [{ setting: "mcp", preset: "team", place: "preset.toml:3" }];
  const { found, problems } = definitions([{ name: "good", command: "x" }], { locks });
  expect(found).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(/^The MCP servers of the client are left out: .*team.* locks mcp\.$/),
  ]);
});
