import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { messageOf } from "@scorel/kernel";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { isFileAt } from "@scorel/kit/files/readable";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import { cleanServerName, MCP_JSON, type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { lockerOf, lockOn } from "@scorel/kit/session/locks";
import { visibleName } from "@scorel/kit/text/plain";
import { isTable, type Table } from "@scorel/kit/values/table";
import type { Workspace } from "@scorel/workspace/contract";
import type { z } from "zod";
import { type McpConfig, type ServerTable, serverTable } from "../config.ts";
import { errors } from "../errors.ts";

/** Milliseconds that a call may take without an answer or progress. */
const TIMEOUT_MS = 60_000;

/** Path of the servers in the configuration. */
const SETTING = "mcp.servers";
/** `place` of servers that a client adds to its session. */
const CLIENT = "the client";

/** How a server is reached, with `${NAME}` as written in the configuration. */
export type Way =
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string }
  | Address;
export interface Address {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Scorel's registration at the authorization server. Without it, each login registers a new client. */
  oauth?: Readonly<Record<string, string>>;
}

/** Whether the configuration has a key for the server, so that no login is needed. */
export function hasKey(way: Way): boolean {
  return "url" in way && Object.keys(way.headers).some((name) => name.toLowerCase() === "authorization");
}

/** A server from the configuration, a client or a project. */
export interface Definition {
  name: string;
  /** The file that defines it, for people. */
  place: string;
  /** Whether it is from a project: then it may only use some variables. */
  ofProject: boolean;
  /** Whether values are taken literally, even if they look like `${NAME}`. */
  literal?: true;
  enabled: boolean;
  timeoutMs: number;
  /** Port of the redirect URI for logins. Default: any free port. */
  callbackPort?: number;
  /** Names of the only tools to offer, with wildcards. Default: all. */
  only?: readonly string[];
  way: Way;
}

type Place = Pick<Workspace, "cwd" | "root" | "trusted" | "trustedCopy" | "mcpServers" | "locks">;
type Report = (thrown: unknown) => void;

/**
 * The servers of a session: from the user's configuration, from the client, and from a trusted project. Of two servers with the same name
 * the first one is used, so that a project cannot replace a server to which the user has given permissions.
 */
export function definitionsOf({ servers }: Pick<McpConfig, "servers">, place: Place, report: Report): Definition[] {
  const own = servers.filter((table) => !table.ofProject && isFor(table, place));
  const all = [
    ...own.map((table) => ofTable(table, "your configuration", place)),
    ...ofClient(place, report),
    ...servers.filter(({ ofProject }) => ofProject).map((table) => ofTable(table, projectFile(place), place)),
    ...inMcpJson(place, report),
  ];
  const known = new Map<string, Definition>();
  for (const each of all) {
    const first = known.get(each.name.toLowerCase());
    if (first) report(errors.MCP_DUPLICATE({ server: each.name, place: each.place, first: first.place }));
    else known.set(each.name.toLowerCase(), each);
  }
  return [...known.values()];
}

/** Whether a server of the user's configuration is used for sessions in this folder. */
function isFor({ projects }: ServerTable, { cwd }: Place): boolean {
  return projects?.some((folder) => isWithin(canonical(folder), cwd)) ?? true;
}

const projectFile = ({ trusted = ".scorel" }: Place) => join(trusted, "config.toml");

function ofTable(table: ServerTable, shown: string, { cwd, root }: Place): Definition {
  const { name, enabled = true, timeout, tools, ofProject = false } = table;
  const { callbackPort, ...oauth } = table.oauth ?? {};
  const base = ofProject ? root : cwd;
  const found = (text: string) => inPreset(text, table.ofPreset);
  return {
    ...{ name, place: shown, ofProject, enabled },
    timeoutMs: timeout === undefined ? TIMEOUT_MS : timeout * 1_000,
    ...(tools && { only: tools }),
    ...(callbackPort !== undefined && { callbackPort }),
    way:
      table.url === undefined
        ? {
            command: found(table.command as string),
            args: (table.args ?? []).map(found),
            env: table.env ?? {},
            cwd: resolve(base, found(table.cwd ?? ".")),
          }
        : { url: table.url, headers: table.headers ?? {}, ...(Object.keys(oauth).length > 0 && { oauth }) },
  };
}

/**
 * A path such as `./server.mjs` or `mcp/server.mjs` that is in the folder of the preset which names it, as an absolute path; any other text
 * unchanged. Otherwise a project could put its own file in the place of the preset's.
 */
function inPreset(text: string, folder: string | undefined): string {
  if (folder === undefined || !text.includes("/") || isAbsolute(text)) return text;
  const path = join(folder, text);
  const isThere = text.startsWith("./") ? existsSync : isFileAt;
  return isWithin(folder, path) && isThere(path) ? path : text;
}

function ofClient(place: Place, report: Report): Definition[] {
  const { mcpServers: given = [], locks = [] } = place;
  const lock = lockOn(SETTING, locks);
  if (lock && given.length > 0) report(errors.MCP_LOCKED({ setting: lock.setting, by: lockerOf(lock) }));
  if (lock) return [];
  return given.flatMap((text) => {
    const given = tableIn(text);
    const name = typeof given.name === "string" ? given.name : "";
    const table = serverTable.safeParse({ ...given, name: cleanServerName(name), ofProject: false });
    if (table.success) return [{ ...ofTable(table.data, CLIENT, place), literal: true as const }];
    report(errors.MCP_OPTION({ server: visibleName(name).slice(0, 80), reason: reasonIn(table.error) }));
    return [];
  });
}

function tableIn(text: string): Table {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value) ? value : {};
  } catch {
    return {}; // The schema then reports the missing name.
  }
}

/** Path of the copy of a trusted project's `.mcp.json`. Only the copy may be read. */
function mcpJsonOf({ trustedCopy }: Pick<Workspace, "trustedCopy">): string | undefined {
  return trustedCopy && join(trustedCopy.root, MCP_JSON);
}

function inMcpJson(place: Place, report: Report): Definition[] {
  const path = mcpJsonOf(place);
  if (path === undefined) return [];
  const shown = join(projectPlace(place.root), MCP_JSON);
  try {
    const text = textOf(path);
    return text === undefined ? [] : readMcpJson(text).flatMap((server) => ofJson(server, shown, place, report));
  } catch (thrown) {
    report(errors.MCP_JSON({ path: shown, reason: messageOf(thrown) }, { cause: thrown }));
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
}

function ofJson(
  { name: given, flaw, ...rest }: McpJsonServer,
  shown: string,
  place: Place,
  report: Report,
): Definition[] {
  const name = cleanServerName(given);
  const table = serverTable.safeParse({ name, ...rest, ofProject: true });
  if (flaw === undefined && table.success) return [ofTable(table.data, shown, place)];
  const reason = flaw ?? reasonIn(table.error);
  const path = `The server "${visibleName(given)}" in ${shown}`;
  report(errors.MCP_JSON({ path, reason }));
  return [];
}

function reasonIn(error: z.ZodError | undefined): string {
  const [issue] = error?.issues ?? [];
  return issue ? [issue.path.map(String).join("."), issue.message].filter(Boolean).join(": ") : "it cannot be read";
}
