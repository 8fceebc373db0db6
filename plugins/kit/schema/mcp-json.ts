import { isDeeper } from "../text/json-depth.ts";
import { isTable, type Table } from "../values/table.ts";

/** The name of the file in which a project lists its MCP servers, for several programs. */
export const MCP_JSON = ".mcp.json";

/** Larger files are refused. */
const MOST_CHARACTERS = 1_000_000;
const MOST_SERVERS = 100;

/** A server in `.mcp.json`: a program, an address, or why it cannot be used. */
export interface McpJsonServer {
  name: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  /** Why it cannot be used. */
  flaw?: string;
}

/** Parses the text of a `.mcp.json`. Throws an error with the reason if the file is invalid; invalid servers get a `flaw` instead. */
export function readMcpJson(text: string): McpJsonServer[] {
  return readMcpServers(parsed(text).mcpServers);
}

/**
 * Returns the servers of a table `mcpServers` that are not `disabled`. Throws if it is not a table or has too many servers; invalid
 * servers get a `flaw` instead.
 */
export function readMcpServers(servers: unknown = {}): McpJsonServer[] {
  if (!isTable(servers)) throw new Error('its "mcpServers" is not an object');
  const names = Object.keys(servers);
  if (names.length > MOST_SERVERS) throw new Error(`it has more than ${MOST_SERVERS} servers`);
  const isOff = (given: unknown) => isTable(given) && given.disabled === true;
  return names.filter((name) => !isOff(servers[name])).map((name) => ({ name, ...serverOf(servers[name]) }));
}

/**
 * Makes a valid server name of up to 32 characters: between letters and digits, a single `_` stays, and anything else becomes a dash.
 * Empty if nothing is left.
 */
export function cleanServerName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9]+/g, (other) => (other === "_" ? "_" : "-"))
    .replace(/^[-_]|[-_]$/g, "")
    .slice(0, 32)
    .replace(/[-_]$/, "");
}

function parsed(text: string): Table {
  if (text.length > MOST_CHARACTERS) throw new Error(`it has more than ${MOST_CHARACTERS} characters`);
  if (isDeeper(text, 20)) throw new Error("it is nested too deeply");
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (thrown) {
    throw new Error("it is not valid JSON", { cause: thrown });
  }
  if (!isTable(value)) throw new Error("it is not a JSON object");
  return value;
}

const WAYS: Readonly<Record<string, "command" | "url">> = {
  stdio: "command",
  http: "url",
  "streamable-http": "url",
};

function serverOf(given: unknown): Omit<McpJsonServer, "name"> {
  if (!isTable(given)) return { flaw: "it is not an object" };
  const type = given.type ?? (given.command === undefined && given.url !== undefined ? "http" : "stdio");
  const way = typeof type === "string" && Object.hasOwn(WAYS, type) ? WAYS[type] : undefined;
  if (way === undefined) return { flaw: `its type ${JSON.stringify(type).slice(0, 50)} is not supported` };
  if (typeof given[way] !== "string" || given[way] === "") return { flaw: `it has no ${way}` };
  return way === "command" ? programOf(given) : addressOf(given);
}

function programOf({ command, args = [], env = {}, cwd }: Table): Omit<McpJsonServer, "name"> {
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    return { flaw: "its args are not a list of texts" };
  if (!isTexts(env)) return { flaw: "its env has a value that is not a text" };
  if (cwd !== undefined && typeof cwd !== "string") return { flaw: "its cwd is not a text" };
  return { command: command as string, args, env, ...(cwd !== undefined && { cwd }) };
}

function addressOf({ url, headers = {} }: Table): Omit<McpJsonServer, "name"> {
  return isTexts(headers) ? { url: url as string, headers } : { flaw: "its headers have a value that is not a text" };
}

function isTexts(value: unknown): value is Record<string, string> {
  return isTable(value) && Object.values(value).every((each) => typeof each === "string");
}
