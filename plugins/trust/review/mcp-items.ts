import { messageOf } from "@scorel/kernel";
import { MCP_JSON, type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { visibleName } from "@scorel/kit/text/plain";
import type { TrustItem } from "../contract.ts";

/** Characters of a word, such as an argument or a header, and of all words of a server. What is left out is said. */
const LONGEST_WORD = 500;
const LONGEST = 4_000;

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
  if (server.url !== undefined) {
    const headers = Object.entries(server.headers ?? {}).map(([key, value]) => `${key}: ${value}`);
    const sent = headers.length === 0 ? "" : `, with the headers ${shown(...headers)}`;
    return {
      kind: "redirect",
      what: `MCP server ${name}: what the model passes on goes to ${shown(server.url)}${sent}`,
      place: MCP_JSON,
    };
  }
  const { command = "", args = [], env = {} } = server;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return { kind: "code", what: `MCP server ${name}: starts ${shown(...variables, command, ...args)}`, place: MCP_JSON };
}

/** Words of a file as one line. Each is cut by itself, so that a long one does not hide those after it. */
function shown(...words: readonly string[]): string {
  const line = words.map((word) => cut(word, LONGEST_WORD)).join(" ");
  return visibleName(cut(line, LONGEST));
}

function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest)}… (${text.length - longest} more characters are in ${MCP_JSON})`;
}
