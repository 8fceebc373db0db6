import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";
import { expect, it } from "vitest";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const program = fileURLToPath(new URL("../fixtures/mcp-tools.mjs", import.meta.url));
const variable = (name: string) => `\${${name}}`;
const config = ({ home }: Scratch) => readFileSync(join(home, ".scorel/config.toml"), "utf8");
const servers = (s: Scratch) => (parse(config(s)).mcp as { servers: object[] }).servers;

/** Writes the configuration of Claude Code, with servers for all projects and for the test's project. */
function claude(s: Scratch, all: object, own: object = {}): string {
  const disabledMcpServers = ["far", "off"];
  const projects = {
    [s.project]: { history: [{ display: "hello" }], mcpServers: own, disabledMcpServers },
    "/srv/elsewhere": { mcpServers: { db: { command: "db" } } },
  };
  return s.file("~/.claude.json", JSON.stringify({ numStartups: 3, projects, mcpServers: all }));
}

it("servers of Claude Code and Codex are shown, added and used, without showing their keys", async () => {
  using s = scratch();
  claude(
    s,
    {
      tools: { type: "stdio", command: process.execPath, args: [program, "--only=echo"], env: { MY_KEY: "key-one" } },
      far: { type: "http", url: "https://u:key-two@a.test/mcp?k=key-three", headers: { "X-Key": "key-four" } },
      old: { type: "sse", url: "https://b.test" },
      Same: { command: "not-this" },
    },
    {
      same: { command: "run", args: ["--api-key", "key-five", "Authorization: key-six", "a"], headersHelper: "x" },
      off: { command: "off" },
    },
  );
  s.file(
    "~/.codex/config.toml",
    `model = "m"
[mcp_servers.my_docs]
url = "https://c.test/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { "X-Region" = "key-seven" }
env_http_headers = { "X-Other" = "OTHER" }
tool_timeout_sec = 90
startup_timeout_sec = 10
disabled_tools = ["drop"]
[mcp_servers.local]
command = "local"
args = ["--token=key-eight", "postgres://u:key-nine@db.test/x"]
env = { A = "key-ten" }
env_vars = ["B"]
cwd = "/srv"
enabled = false
enabled_tools = ["get"]
[mcp_servers.tools]
command = "other"
`,
  );
  const { code, stdout, stderr } = await s.run(["mcp", "import", "--yes"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toMatch(/key-\w/);
  expect(
    stdout
      .replaceAll(s.project, "PROJECT")
      .replaceAll(s.home, "~")
      .replaceAll(process.execPath, "node")
      .replaceAll(program, "server"),
  ).toBe(
    `Claude Code, ~/.claude.json:
  add same: run --api-key [hidden] Authorization:[hidden] a (only in PROJECT) [without its headersHelper]
  add off: off (only in PROJECT; disabled)
  add tools: node server --only=echo (env MY_KEY)
  add far: https://a.test/mcp (headers X-Key) [also used here, where it is disabled]
  skip old: its type "sse" is not supported
  skip Same: another one above has this name
  skip db: it is only for /srv/elsewhere; import it there
Codex, ~/.codex/config.toml:
  add my_docs: https://c.test/mcp (headers X-Region, X-Other, Authorization) [without its startup_timeout_sec, without its disabled_tools]
  add local: local --token=[hidden] postgres://db.test/x (env B, A; in /srv; disabled)
  skip tools: another one above has this name
Added same, off, tools, far, my_docs, local to ~/.scorel/config.toml. To try one: scorel mcp test same
`,
  );
  expect(servers(s)).toEqual([
    {
      ...{ name: "same", command: "run", args: ["--api-key", "key-five", "Authorization: key-six", "a"] },
      projects: [s.project],
    },
    { name: "off", command: "off", projects: [s.project], enabled: false },
    { name: "tools", command: process.execPath, args: [program, "--only=echo"], env: { MY_KEY: "key-one" } },
    { name: "far", url: "https://u:key-two@a.test/mcp?k=key-three", headers: { "X-Key": "key-four" } },
    {
      name: "my_docs",
      url: "https://c.test/mcp",
      timeout: 90,
      headers: {
        "X-Region": "key-seven",
        "X-Other": variable("OTHER"),
        Authorization: `Bearer ${variable("DOCS_TOKEN")}`,
      },
    },
    {
      ...{ name: "local", command: "local", args: ["--token=key-eight", "postgres://u:key-nine@db.test/x"] },
      ...{ cwd: "/srv", enabled: false, tools: ["get"], env: { B: variable("B"), A: "key-ten" } },
    },
  ]);
  expect((await s.run(["mcp", "test", "tools"])).stdout).toContain("mcp__tools__echo");
  expect((await s.run(["mcp", "list"])).stdout).toContain("same  run");
  const elsewhere = await s.run(["mcp", "list"], { cwd: s.home });
  expect(elsewhere.stdout).toContain("far  https://a.test/mcp");
  expect(elsewhere.stdout).not.toContain("same  run");
  const again = await s.run(["mcp", "import"]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/skip far: .*\nThere is nothing/s) });
});

it("references stay references, and a file with keys can be read by its owner only", async () => {
  using s = scratch({ inProcess: true });
  const path = s.file("~/.scorel/config.toml", "# Mine.\n");
  chmodSync(path, 0o644);
  claude(s, { a: { command: "a", env: { TOKEN: variable("MY_TOKEN:-none"), KEY: "secret-key" } } });
  expect((await s.run(["mcp", "import", "claude-code", "--yes"])).code).toBe(0);
  expect(servers(s)).toEqual([
    { name: "a", command: "a", env: { TOKEN: variable("MY_TOKEN:-none"), KEY: "secret-key" } },
  ]);
  expect(config(s)).toMatch(/^# Mine\.\n/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("without a person and --yes nothing is added", async () => {
  using s = scratch({ inProcess: true });
  claude(s, { a: { command: "a" } });
  const { code, stdout, stderr } = await s.run(["mcp", "import"]);
  expect([code, stdout]).toEqual([2, expect.stringContaining("  add a: a\n")]);
  expect(stderr).toContain("Nothing was imported. Confirm in a terminal, or add --yes.");
  expect((await s.run(["mcp", "list"])).stdout).toContain("No MCP servers");
});

itWith("script", "in a terminal a person is asked, and nothing is added without a yes", async () => {
  using s = scratch();
  claude(s, { a: { command: "a" } });
  for (const [answer, code, said] of [
    ["", 2, "Nothing was imported."],
    ["y", 0, "Added a to"],
  ] as const) {
    await using t = terminal(s, ["mcp", "import"]);
    await t.shows("Programs among them run with your rights. [y/N]");
    t.type(`${answer}\r`);
    await t.shows(said);
    expect(await t.code).toBe(code);
  }
  expect(servers(s)).toEqual([{ name: "a", command: "a" }]);
});

it("damaged and missing files are reported without quoting them, and nothing is changed", async () => {
  using s = scratch({ inProcess: true });
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await s.run(["mcp", "import", ...args]);
    return [code, stdout, stderr.split("\n")[0]];
  };
  expect(await said()).toEqual([0, "There is nothing to import: neither program has a configuration.\n", ""]);
  expect(await said("other")).toEqual([2, "", expect.stringContaining("from claude-code and codex, not from other")]);
  s.file("~/.claude.json", '{"mcpServers": secret-key');
  expect(await said()).toEqual([1, "", expect.stringContaining("it is not valid JSON")]);
  s.file("~/.claude.json", '{"mcpServers": ["secret-key"]}');
  expect(await said()).toEqual([1, "", expect.stringContaining('its "mcpServers" is not an object')]);
  s.file("~/.claude.json", "[".repeat(300));
  expect(await said()).toEqual([1, "", expect.stringContaining("nested too deeply")]);
  s.file("~/.codex/config.toml", 'a = 1\nkey = "secret-key');
  expect(await said("codex")).toEqual([1, "", expect.stringContaining("not valid TOML (line 2,")]);
  s.file("~/.codex/config.toml", "mcp_servers = 1");
  expect(await said("codex")).toEqual([1, "", expect.stringContaining("its mcp_servers is not a table")]);
});

it("a damaged config.toml stays unchanged and is not quoted", async () => {
  using s = scratch({ inProcess: true });
  claude(s, { a: { command: "a", env: { KEY: "secret-key" } } });
  const written = '[mcp]\nservers = [{ name = "b", command = "x", env = { KEY = "own-key" } }]\n';
  s.file("~/.scorel/config.toml", written);
  const { code, stderr } = await s.run(["mcp", "import", "--yes"]);
  expect([code, config(s)]).toEqual([1, written]);
  expect(stderr).toContain("Add the servers a to it by hand.");
  expect(stderr).not.toMatch(/secret-key|own-key/);
});

it("tables that cannot be used are skipped with the reason, and hide nothing from the terminal", async () => {
  using s = scratch({ inProcess: true });
  claude(s, {
    "good name": { command: "a\u001b[2J" },
    é: { command: "a" },
    host: { type: "http", url: `${variable("BASE")}/mcp` },
    empty: { command: "" },
  });
  s.file(
    "~/.codex/config.toml",
    '[mcp_servers]\nn = 1\nboth = { command = "a", url = "https://a" }\nenv = { command = "a", env = { A = 1 } }\nvar = { url = "https://a", bearer_token_env_var = "MY-KEY" }\nslow = { command = "a", tool_timeout_sec = 9000 }\n',
  );
  const { stdout } = await s.run(["mcp", "import", "--yes"]);
  for (const row of [
    "add good-name: a\\u{1b}[2J",
    "skip é: its name has no letters and digits",
    "skip host: its url is not an address",
    "skip empty: it has no command",
    "skip n: it is not a table",
    "skip both: it needs either a command or a url",
    "skip env: its env is not a table of texts",
    "skip var: its bearer_token_env_var is not the name of a variable",
    "skip slow: its timeout is not between 0 and 3600 seconds",
  ])
    expect(stdout).toContain(`  ${row}`);
  expect(servers(s)).toEqual([{ name: "good-name", command: "a\u001b[2J" }]);
});

it("keys are not written when config.toml is a link to a file that others can read", async () => {
  using s = scratch({ inProcess: true });
  claude(s, { a: { command: "a", env: { KEY: "secret-key" } } });
  const dotfiles = s.file("~/dotfiles/config.toml", "");
  mkdirSync(join(s.home, ".scorel"), { recursive: true });
  symlinkSync(dotfiles, join(s.home, ".scorel/config.toml"));
  const { code, stderr } = await s.run(["mcp", "import", "--yes"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('"a" may contain keys')]);
  expect(readFileSync(dotfiles, "utf8")).toBe("");
});
