import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type {} from "@scorel/host/contract";
import { type BaseContext, codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { readIfPresent } from "@scorel/kit/files/private";
import { isTable, type Table } from "@scorel/kit/values/table";
import { parse } from "smol-toml";
import { errors } from "./errors.ts";
import { tomlFlaw } from "./import/toml.ts";

/** A server as it is written to the file. */
export interface NewServer {
  name: string;
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  timeout?: number;
  enabled?: boolean;
  tools?: readonly string[];
  projects?: readonly string[];
}

/** The user's config.toml. */
export const configPath = () => join(userDir(), "config.toml");

/** Appends a server to the user's config.toml. Throws MCP_ADMIN_TAKEN, and MCP_ADMIN_FILE if the file cannot be edited safely. */
export async function addServer(server: NewServer, ctx: BaseContext): Promise<void> {
  await change(ctx, `Add these lines:\n${tableText(server)}`, (text) => withServer(text, server));
}

/**
 * Appends several servers, or none of them. Throws as `addServer` does, but no error quotes their values, since these do not come from the
 * command line. Afterwards only the owner can read the file.
 */
export async function addServers(servers: readonly NewServer[], ctx: BaseContext): Promise<void> {
  await change(ctx, `Add the servers ${namesOf(servers).join(", ")} to it by hand.`, (first) =>
    servers.reduce<Made>(({ text }, server) => withServer(text, server), { text: first, servers: serversIn(first) }),
  );
}

/** The new text of a file, and the servers that it should then define. */
interface Made {
  text: string;
  servers: readonly Table[];
}

function withServer(text: string, server: NewServer): Made {
  const before = serversIn(text);
  if (before.some(({ name }) => sameName(name, server.name)))
    throw errors.MCP_ADMIN_TAKEN({ name: server.name, path: configPath() });
  return { text: `${text}${gapAfter(text)}${tableText(server)}`, servers: [...before, { ...server }] };
}

/** Removes a server from the user's config.toml. Throws MCP_ADMIN_UNKNOWN, and MCP_ADMIN_FILE if the file cannot be edited safely. */
export async function removeServer(name: string, ctx: BaseContext): Promise<void> {
  await change(ctx, `Remove the server "${name}" from it by hand.`, (text) => {
    const before = serversIn(text);
    const index = before.findIndex((each) => sameName(each.name, name));
    if (index < 0) throw errors.MCP_ADMIN_UNKNOWN({ name, path: configPath(), known: namesOf(before) });
    return { text: withoutTable(text, index), servers: before.toSpliced(index, 1) };
  });
}

/** Edits the file. Checks before writing that it then defines the expected servers, and that nothing else has changed. */
async function change(ctx: BaseContext, lines: string, edit: (text: string) => Made): Promise<void> {
  const path = configPath();
  const refused = (thrown: unknown) =>
    thrown instanceof ScorelError && codeOf(thrown).startsWith("MCP_ADMIN")
      ? thrown
      : errors.MCP_ADMIN_FILE({ path, lines, reason: reasonOf(thrown) });
  try {
    const files = ctx.find("sharedFiles");
    if (!files) throw new Error("nothing here can change shared files");
    await files.changeFile(path, (text = "") => {
      const made = edit(text);
      const wanted = withServers(parse(text), made.servers);
      if (!isDeepStrictEqual(plain(parse(made.text)), plain(wanted)))
        throw new Error("its servers are written in another way than by this command");
      return made.text;
    });
  } catch (thrown) {
    throw refused(thrown);
  }
}

/** Names of the servers in the user's config.toml. */
export function ownNames(): string[] {
  try {
    return namesOf(serversIn(readIfPresent(configPath()) ?? ""));
  } catch (thrown) {
    throw errors.MCP_ADMIN_FILE({ path: configPath(), lines: "Repair it first.", reason: reasonOf(thrown) });
  }
}

/**
 * The reason of an error, without lines of the file that the parser quotes: they may contain a key. Other errors may include the parser's
 * message.
 */
function reasonOf(thrown: unknown): string {
  return tomlFlaw(thrown) ?? tomlFlaw((thrown as Error | null)?.cause) ?? messageOf(thrown);
}

function serversIn(text: string): Table[] {
  const { mcp } = parse(text) as Table;
  const servers = isTable(mcp) ? mcp.servers : undefined;
  return Array.isArray(servers) ? servers.filter(isTable) : [];
}

function withServers(table: Table, servers: readonly Table[]): Table {
  const { servers: _, ...mcp } = isTable(table.mcp) ? table.mcp : {};
  const kept = { ...mcp, ...(servers.length > 0 && { servers }) };
  const { mcp: __, ...rest } = table;
  return Object.keys(kept).length === 0 ? rest : { ...rest, mcp: kept };
}

/** A copy without the prototypes of the parser's tables. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const namesOf = (servers: readonly { name?: unknown }[]) => servers.map(({ name }) => String(name));
export const sameName = (one: unknown, other: string) => String(one).toLowerCase() === other.toLowerCase();
const gapAfter = (text: string) => (text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n");

/** Encodes a value as TOML. Strings and lists are as in JSON, except that TOML requires DEL to be escaped. */
const literal = (value: unknown) => JSON.stringify(value).replaceAll("\u007f", "\\u007f");

/** Encodes a server as a TOML table. */
function tableText({ env, headers, ...server }: NewServer): string {
  const rows = Object.entries(server).map(([key, value]) => `${key} = ${literal(value)}\n`);
  const tables = Object.entries({ env, headers }).flatMap(([key, table]) =>
    table && Object.keys(table).length > 0 ? [`${key} = ${inline(table)}\n`] : [],
  );
  return `[[mcp.servers]]\n${[...rows, ...tables].join("")}`;
}

function inline(table: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(table).map(([key, value]) => `${literal(key)} = ${literal(value)}`);
  return `{ ${pairs.join(", ")} }`;
}

const HEADER = /^[ \t]*\[\[?[^\n]*$/gm;
const OF_SERVERS = /^[ \t]*\[\[[ \t]*mcp[ \t]*\.[ \t]*servers[ \t]*\]\]/;
const WITHIN_SERVER = /^[ \t]*\[[ \t]*mcp[ \t]*\.[ \t]*servers[ \t]*\./;

/** The text without the server with this index among the tables `[[mcp.servers]]`. Comments below it stay after an empty line. */
function withoutTable(text: string, index: number): string {
  const headers = [...text.matchAll(HEADER)];
  const tables = headers.filter(([line]) => OF_SERVERS.test(line));
  const own = tables[index];
  if (!own) return text;
  const next = headers.find(({ 0: line, index: at }) => at > own.index && !WITHIN_SERVER.test(line));
  const before = text.slice(0, own.index);
  const rest = commentsAtEnd(text.slice(own.index, next?.index)) + (next ? text.slice(next.index) : "");
  return rest.trim() === "" ? `${before.trimEnd()}\n`.replace(/^\n$/, "") : before + rest;
}

/** The comments and empty lines at the end of a text, from after the first empty line on. */
function commentsAtEnd(text: string): string {
  const lines = text.split(/(?<=\n)/);
  const last = lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line));
  const empty = lines.findIndex((line, at) => at > last && line.trim() === "");
  return empty < 0 ? "" : lines.slice(empty + 1).join("");
}
