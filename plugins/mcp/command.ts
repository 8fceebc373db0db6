import type { SlashCommand } from "@scorel/commands/contract";
import { visibleName } from "@scorel/kit/text/plain";
import { z } from "zod";
import type { McpAsk, McpServerRow } from "./contract.ts";

/** The command `/mcp`: lists the servers with their tools, or restarts one of them. */
export const mcpCommand = (): SlashCommand => ({
  group: "Session",
  summary: "Show the MCP servers and their tools, or restart one",
  operations: ["list_mcp_servers", "restart_mcp_server"],
  args: z.object({ action: z.enum(["restart"]).optional(), server: z.string().optional() }),
  async complete(key, typed, { request, sessionId }) {
    if (key !== "server") return [];
    const { servers } = await request("list_mcp_servers", { sessionId });
    return servers.map(({ name }) => name).filter((name) => name.startsWith(typed));
  },
  async run({ action, server }: { action?: "restart"; server?: string }, { request, sessionId }) {
    if (action === "restart" && server !== undefined)
      return textOf([await request("restart_mcp_server", { sessionId, name: server })]);
    const { servers } = await request("list_mcp_servers", { sessionId });
    if (action === "restart") return "Name the server to start anew: /mcp restart <server>";
    if (servers.length === 0) return "No MCP servers are configured. To add one: scorel mcp add";
    return textOf(servers);
  },
});

/** The most tools that are listed for one server. */
const MOST_TOOLS = 300;

/** Describes the servers for people. */
export function textOf(servers: readonly McpServerRow[]): string {
  return servers.map(serverText).join("\n");
}

function serverText({ name, state, version, tools, deferred = [], login, asked = [], problem }: McpServerRow): string {
  const facts = [
    state,
    ...(version === undefined ? [] : [visibleName(version)]),
    ...(login === undefined ? [] : [LOGINS[login]]),
    count(tools.length),
  ];
  const hidden = new Set(deferred);
  return [
    `${name}: ${facts.join(", ")}`,
    ...(problem === undefined ? [] : [`  ${visibleName(problem)}`]),
    ...(asked.length > 0 ? [`  has asked for ${asked.map((what) => ASKS[what]).join(", ")}`] : []),
    ...tools.slice(0, MOST_TOOLS).map((tool) => `  ${tool}${hidden.has(tool) ? "  (found with ToolSearch)" : ""}`),
    ...(tools.length > MOST_TOOLS
      ? [`  and ${tools.length - MOST_TOOLS} more; scorel mcp test ${name} shows all`]
      : []),
  ].join("\n");
}

const LOGINS = { kept: "logged in", none: "not logged in", unknown: "login unknown" } as const;
const ASKS: Record<McpAsk, string> = {
  folder: "the project's folder",
  answers: "answers of yours",
  address: "an address to be opened",
  model: "answers of the model",
};

const count = (tools: number) => (tools === 1 ? "1 tool" : `${tools} tools`);
