import { isTable, type Table } from "@scorel/kit/values/table";
import { parse } from "smol-toml";
import { type Candidate, candidateOf } from "./candidate.ts";
import { tomlFlaw } from "./toml.ts";

const MOST_SERVERS = 100;
const KNOWN = new Set([
  ...["command", "args", "env", "env_vars", "cwd", "url", "bearer_token_env_var", "http_headers", "env_http_headers"],
  ...["enabled", "enabled_tools", "tool_timeout_sec"],
]);

/** Reads the servers from Codex's `~/.codex/config.toml`. Throws an error with the reason, without text of the file. */
export function codexServers(text: string): Candidate[] {
  const servers = parsed(text).mcp_servers ?? {};
  if (!isTable(servers)) throw new Error("its mcp_servers is not a table");
  const entries = Object.entries(servers);
  if (entries.length > MOST_SERVERS) throw new Error(`it has more than ${MOST_SERVERS} servers`);
  return entries.map(([name, table]) => serverOf(name, table));
}

function parsed(text: string): Table {
  try {
    return parse(text) as Table;
  } catch (thrown) {
    throw new Error(tomlFlaw(thrown) ?? "it is not valid TOML");
  }
}

function serverOf(name: string, given: unknown): Candidate {
  if (!isTable(given)) return { name, flaw: "it is not a table" };
  const flaw = shapeFlaw(given);
  if (flaw !== undefined) return { name, flaw };
  const left = Object.keys(given).filter((key) => !KNOWN.has(key));
  const table = given as Shape;
  const { command, args, cwd, url, enabled, enabled_tools: tools, tool_timeout_sec: timeout } = table;
  const common = { ...(enabled === false && { enabled }), tools, timeout };
  const parts = command === undefined ? { url, headers: headersOf(table) } : { command, args, cwd, env: envOf(table) };
  return candidateOf(
    name,
    { ...parts, ...common },
    left.map((key) => `without its ${key}`),
  );
}

interface Shape {
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  env_vars?: string[];
  cwd?: string;
  url?: string;
  bearer_token_env_var?: string;
  http_headers?: Record<string, string>;
  env_http_headers?: Record<string, string>;
  enabled?: boolean;
  enabled_tools?: string[];
  tool_timeout_sec?: number;
}

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isTextTable = (value: unknown) => isTable(value) && isTexts(Object.values(value));
const isVariable = (value: unknown) => typeof value === "string" && /^[A-Za-z_]\w*$/.test(value);

/** A check for each setting, and the expected type in words. */
const SHAPES: { [K in keyof Shape]-?: [(value: unknown) => boolean, string] } = {
  command: [isText, "a text"],
  args: [isTexts, "a list of texts"],
  env: [isTextTable, "a table of texts"],
  env_vars: [(value) => Array.isArray(value) && value.every(isVariable), "a list of names of variables"],
  cwd: [isText, "a text"],
  url: [isText, "a text"],
  bearer_token_env_var: [isVariable, "the name of a variable"],
  http_headers: [isTextTable, "a table of texts"],
  env_http_headers: [
    (value) => isTable(value) && Object.values(value).every(isVariable),
    "a table of names of variables",
  ],
  enabled: [(value) => typeof value === "boolean", "true or false"],
  enabled_tools: [isTexts, "a list of texts"],
  tool_timeout_sec: [(value) => typeof value === "number", "a number"],
};

function shapeFlaw(table: Table): string | undefined {
  if ((table.command === undefined) === (table.url === undefined)) return "it needs either a command or a url";
  for (const [key, [isRight, name]] of Object.entries(SHAPES))
    if (table[key] !== undefined && !isRight(table[key])) return `its ${key} is not ${name}`;
  return undefined;
}

const reference = (variable: string) => `\${${variable}}`;

/** The environment variables of the program. Those that Codex passes on become references such as `${NAME}`. */
function envOf({ env = {}, env_vars: passed = [] }: Shape): Record<string, string> {
  return { ...Object.fromEntries(passed.map((name) => [name, reference(name)])), ...env };
}

function headersOf({ http_headers: fixed = {}, env_http_headers: named = {}, bearer_token_env_var: token }: Shape) {
  const referring = Object.entries(named).map(([name, variable]) => [name, reference(variable)]);
  return {
    ...fixed,
    ...Object.fromEntries(referring),
    ...(token !== undefined && { Authorization: `Bearer ${reference(token)}` }),
  };
}
