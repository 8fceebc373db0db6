import { messageOf } from "@scorel/kernel";
import { MCP_JSON, type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { visibleName } from "@scorel/kit/text/plain";
import type { TrustItem } from "../contract.ts";

const LONGEST = 500;

/** What each server of a project's `.mcp.json` would do, or why the file cannot be read. */
export function mcpItems(text: string): TrustItem[] {
  try {
    return readMcpJson(text).map(itemOf);
  } catch (thrown) {
    return [{ kind: "other", what: `MCP servers: ${messageOf(thrown)}`, place: MCP_JSON }];
  }
}

function itemOf(server: McpJsonServer): TrustItem {
  const name = shown(server.name);
  if (server.flaw !== undefined)
    return { kind: "other", what: `MCP server ${name}: not used, as ${server.flaw}`, place: MCP_JSON };
  if (server.url !== undefined)
    return {
      kind: "redirect",
      what: `MCP server ${name}: what the model passes on goes to ${shown(server.url)}`,
      place: MCP_JSON,
    };
  const { command = "", args = [], env = {} } = server;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const line = [...variables, command, ...args].join(" ");
  return { kind: "code", what: `MCP server ${name}: starts ${shown(line)}`, place: MCP_JSON };
}

function shown(text: string): string {
  return visibleName(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
