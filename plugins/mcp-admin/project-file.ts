import { lstatSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { replaceFile } from "@scorel/kit/files/private";
import { readWithin } from "@scorel/kit/files/read-within";
import { cleanServerName, MCP_JSON, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { isTable, type Table } from "@scorel/kit/values/table";
import { type NewServer, sameName } from "./config-file.ts";
import { errors } from "./errors.ts";

/** A larger file is not read. Bytes. */
const LARGEST = 4 * 1024 * 1024;

/**
 * Adds a server to the `.mcp.json` of the project in this folder, and returns the path of the file. Throws MCP_ADMIN_PROJECT_TAKEN,
 * and MCP_ADMIN_FILE if the file cannot be edited safely.
 */
export function addToProject(server: NewServer, root: string): string {
  const path = join(root, MCP_JSON);
  const { name } = server;
  const described = inJson(server);
  try {
    const { text, mode } = present(path, root);
    const table = tableIn(text);
    const servers = isTable(table.mcpServers) ? table.mcpServers : {};
    if (Object.keys(servers).some((each) => sameName(cleanServerName(each), name)))
      throw errors.MCP_ADMIN_PROJECT_TAKEN({ name, path });
    const made = { ...table, mcpServers: { ...servers, [name]: described } };
    const now = `${JSON.stringify(made, null, indentationOf(text))}\n`;
    // Refuses a file that would have too many servers or characters.
    readMcpJson(now);
    replaceFile(path, now, { mode, durable: true });
    return path;
  } catch (thrown) {
    if (codeOf(thrown) === "MCP_ADMIN_PROJECT_TAKEN") throw thrown;
    const lines = `Add this below "mcpServers":\n${JSON.stringify(name)}: ${JSON.stringify(described)}`;
    throw errors.MCP_ADMIN_FILE({ path, lines, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** The text of the file, without a byte order mark, and its permissions; those of a new one, which others may read, if it does not exist. */
function present(path: string, root: string): { text: string; mode: number } {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { text: "{}", mode: 0o644 };
  // Trust refuses such a file, too, and replacing the link would surprise whoever has made it.
  if (stat.isSymbolicLink()) throw new Error("it is a symbolic link");
  const read = readWithin(path, root, LARGEST);
  if ("reason" in read) throw new Error(read.reason);
  return { text: read.text, mode: stat.mode & 0o777 };
}

function tableIn(text: string): Table {
  readMcpJson(text);
  return JSON.parse(text) as Table;
}

/** The blanks with which the file indents its first line, or two. */
function indentationOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
}

/** A server as `.mcp.json` describes it. */
function inJson({ command, args, env, cwd, url, headers }: NewServer): Table {
  if (url !== undefined) return { type: "http", url, ...(headers && { headers }) };
  return { command, ...(args && { args }), ...(env && { env }), ...(cwd !== undefined && { cwd }) };
}
