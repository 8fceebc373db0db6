import type { McpServer } from "@agentclientprotocol/sdk";
import type { SessionStatus } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type {} from "@scorel/mcp/contract";
import type { Shared } from "./session.ts";

type Around = Pick<Shared, "client" | "log">;
type Named = { name: string; value: string };

/** Opens a session with the MCP servers of the editor. Logs those that cannot be used. */
export async function openWith(
  servers: readonly McpServer[],
  { client, log }: Around,
  open: (options: { mcpServers?: readonly string[] }) => Promise<SessionStatus>,
): Promise<SessionStatus> {
  const [used, others] = [servers.filter(isSupported), servers.filter((server) => !isSupported(server))];
  const leftOut = (which: readonly McpServer[], reason: string) =>
    log(`The editor's MCP servers are not used: ${which.map(({ name }) => lineOf(name)).join(", ")}. ${reason}`);
  if (others.length > 0) leftOut(others, "Scorel starts programs and reaches servers by streamable HTTP.");
  if (used.length === 0) return open({});
  try {
    const status = await open({ mcpServers: used.map(tableOf) });
    if (!(await takesServers(client, status.sessionId)))
      leftOut(used, "The session's preset is without the plugin mcp.");
    return status;
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_SESSION_OPTIONS") throw thrown;
    const status = await open({});
    leftOut(used, "The session is open in another client already, and has the servers that it was opened with.");
    return status;
  }
}

type Program = Exclude<McpServer, { type: string }>;
type Address = Extract<McpServer, { type: "http" }>;

function isSupported(server: McpServer): server is Program | Address {
  return !("type" in server) || server.type === "http";
}

/** Converts a server into the form of the session option `mcpServers`. */
function tableOf(server: McpServer): string {
  const { name } = server;
  if ("url" in server) return JSON.stringify({ name, url: server.url, headers: texts(server.headers) });
  return JSON.stringify({ name, command: server.command, args: server.args, env: texts(server.env) });
}

function texts(given: readonly Named[]): Record<string, string> {
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

async function takesServers(client: Around["client"], sessionId: string): Promise<boolean> {
  try {
    await client.request("list_mcp_servers", { sessionId });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    return false;
  }
}
