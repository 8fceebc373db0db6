import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { isTable, type Table } from "@scorel/kit/values/table";
import { parse } from "smol-toml";
import { errors } from "./errors.ts";

/** The servers that another program is configured with, with the file that says so. */
export interface Source {
  path: string;
  servers: McpJsonServer[];
}

/** Reads the servers of other programs, for a project. Undefined for a program without such a file. */
export const sources: Readonly<Record<string, (root: string) => Source | undefined>> = {
  "claude-code": (root) =>
    read(".claude.json", (text) => {
      const settings: unknown = JSON.parse(text);
      if (!isTable(settings)) throw new Error("it is not a JSON object");
      const { mcpServers = {}, projects } = settings;
      const project = isTable(projects) && Object.hasOwn(projects, root) ? projects[root] : {};
      // Claude Code prefers the project's server to the user's server of the same name.
      return all(mcpServers, isTable(project) ? project.mcpServers : {});
    }),
  codex: () =>
    read(".codex/config.toml", (text) => {
      const { mcp_servers: servers = {} } = parse(text) as Table;
      if (!isTable(servers)) throw new Error('its "mcp_servers" is not a table');
      return Object.entries(servers).flatMap(([name, server]) => ofCodex(name, server));
    }),
};

function read(name: string, servers: (text: string) => McpJsonServer[]): Source | undefined {
  const path = join(homedir(), name);
  try {
    return { path, servers: servers(readFileSync(path, "utf8")) };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.MCP_ADMIN_SOURCE({ path, reason: reasonIn(thrown) }, { cause: thrown });
  }
}

/** Parsers quote the text around a mistake, which may be a key. */
function reasonIn(thrown: unknown): string {
  return thrown instanceof SyntaxError || (thrown as Error).name === "TomlError"
    ? "it is damaged"
    : messageOf(thrown).split("\n", 1).join();
}

const all = (...tables: unknown[]) =>
  readMcpJson(JSON.stringify({ mcpServers: Object.fromEntries(tables.filter(isTable).flatMap(Object.entries)) }));

/** Codex names the variables of keys in keys of their own. */
function ofCodex(name: string, server: unknown): McpJsonServer[] {
  if (!isTable(server)) return [{ name, flaw: "it is not a table" }];
  if (server.enabled === false) return [{ name, flaw: "it is disabled there" }];
  const { command, args, env, cwd, url, http_headers, env_http_headers, bearer_token_env_var } = server;
  const named = Object.entries(isTable(env_http_headers) ? env_http_headers : {});
  const headers = {
    ...(isTable(http_headers) && http_headers),
    ...Object.fromEntries(named.map(([header, variable]) => [header, `\${${variable}}`])),
    ...(bearer_token_env_var !== undefined && { Authorization: `Bearer \${${bearer_token_env_var}}` }),
  };
  return all({ [name]: url === undefined ? { command, args, env, cwd } : { url, headers } });
}
