import { codeOf } from "@scorel/kernel";
import { expect, it } from "vitest";
import { serverTable } from "../../../plugins/mcp/config.ts";
import { codexServers } from "../../../plugins/mcp-admin/import/codex.ts";
import { newServer, serverInJson } from "../../../plugins/mcp-admin/new-server.ts";

/** The server that `scorel mcp add slow` makes of further words and options, or the code of its error. */
function added(words: string[], options: Record<string, unknown>) {
  try {
    return newServer({ args: ["slow", ...words], options, cwd: "/" });
  } catch (thrown) {
    return codeOf(thrown);
  }
}

it("a server that config.toml would not accept is not added", () => {
  const seconds = ["0", "-1", "3601", "99999", "Infinity", "1e9", "soon"];
  const codes = [...seconds.map((timeout) => added(["run"], { timeout })), added([""], {})];
  expect(codes).toEqual([...seconds.map(() => "MCP_ADMIN_SECONDS"), "MCP_ADMIN_WAY"]);
});

it("the longest timeout that config.toml accepts can be added", () => {
  const server = added(["run"], { timeout: "3600" });
  expect(server).toEqual({ name: "slow", command: "run", timeout: 3_600 });
  expect(serverTable.safeParse(server).success).toBe(true);
});

it("a server that its JSON disables is refused, since only its name would be added", () => {
  const json = '{"command":"run","disabled":true}';
  expect(() => serverInJson({ args: ["slow", json], options: {}, cwd: "/" })).toThrow(
    'The server "slow" cannot be added: its "disabled" is true.',
  );
});

it("a server of Codex without enabled tools has none here either", () => {
  const [imported] = codexServers('[mcp_servers.slow]\ncommand = "run"\nargs = []\nenabled_tools = []\n');
  expect(imported).toEqual({ name: "slow", server: { name: "slow", command: "run", tools: [] }, notes: [] });
});
