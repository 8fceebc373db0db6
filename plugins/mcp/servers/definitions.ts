import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "@scorel/kernel";
import { MCP_JSON, type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { visibleName } from "@scorel/kit/text/plain";
import type { Workspace } from "@scorel/workspace/contract";
import { type McpConfig, type ServerTable, serverTable } from "../config.ts";
import { errors } from "../errors.ts";

/** Milliseconds that a call may take without an answer or progress. */
const TIMEOUT_MS = 60_000;

/** How a server is reached, with `${NAME}` as written. */
export type Way =
  | { command: string; args: readonly string[]; env: Readonly<Record<string, string>>; cwd: string }
  | Address;
export interface Address {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** How Scorel is known where a person logs in, if it is not registered with each login. */
  oauth?: Readonly<Record<string, string>>;
}

/** Whether the configuration gives a key, which stands for a login. */
export function hasKey(way: Way): boolean {
  return "url" in way && Object.keys(way.headers).some((name) => name.toLowerCase() === "authorization");
}

/** A server that the configuration or a project names. */
export interface Definition {
  name: string;
  /** The file that names it, for people. */
  place: string;
  /** It may use only some variables. */
  ofProject: boolean;
  enabled: boolean;
  timeoutMs: number;
  /** The port on which the browser comes back from a login. Default: any. */
  callbackPort?: number;
  /** The only tools to offer, with wildcards. */
  only?: readonly string[];
  way: Way;
}

type Place = Pick<Workspace, "cwd" | "root" | "trusted" | "trustedCopy">;
type Report = (thrown: unknown) => void;

/**
 * The servers of a session: those of the configuration, then those of a trusted project's `.mcp.json`. Of two with one name the first
 * counts, so that a project cannot put another server in the place of one that the user allows things to.
 */
export function definitionsOf({ servers }: Pick<McpConfig, "servers">, place: Place, report: Report): Definition[] {
  const own = servers.filter(({ ofProject }) => !ofProject);
  const all = [
    ...own.map((table) => ofTable(table, "your configuration", place)),
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

const projectFile = ({ trusted = ".scorel" }: Place) => join(trusted, "config.toml");

function ofTable(table: ServerTable, shown: string, { cwd, root }: Place): Definition {
  const { name, enabled = true, timeout, tools, ofProject = false } = table;
  const { callbackPort, ...oauth } = table.oauth ?? {};
  const base = ofProject ? root : cwd;
  return {
    ...{ name, place: shown, ofProject, enabled },
    timeoutMs: timeout === undefined ? TIMEOUT_MS : timeout * 1_000,
    ...(tools && { only: tools }),
    ...(callbackPort !== undefined && { callbackPort }),
    way:
      table.url === undefined
        ? {
            command: table.command as string,
            args: table.args ?? [],
            env: table.env ?? {},
            cwd: resolve(base, table.cwd ?? "."),
          }
        : { url: table.url, headers: table.headers ?? {}, ...(Object.keys(oauth).length > 0 && { oauth }) },
  };
}

/** The path of a trusted project's `.mcp.json`, of which only the copy may be read. */
export function mcpJsonOf({ trustedCopy }: Pick<Workspace, "trustedCopy">): string | undefined {
  return trustedCopy && join(trustedCopy.root, MCP_JSON);
}

function inMcpJson(place: Place, report: Report): Definition[] {
  const path = mcpJsonOf(place);
  if (path === undefined) return [];
  const shown = join(place.root, MCP_JSON);
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
  const name = cleaned(given);
  const table = serverTable.safeParse({ name, ...rest, ofProject: true });
  if (flaw === undefined && table.success) return [ofTable(table.data, shown, place)];
  const reason = flaw ?? table.error?.issues[0]?.message ?? "it cannot be read";
  const path = `The server "${visibleName(given)}" in ${shown}`;
  report(errors.MCP_JSON({ path, reason }));
  return [];
}

/** A name as servers may have it: other characters become dashes. */
function cleaned(name: string): string {
  return name
    .replace(/[^A-Za-z0-9]+/g, (other) => (other === "_" ? "_" : "-"))
    .replace(/^[-_]|[-_]$/g, "")
    .slice(0, 32)
    .replace(/[-_]$/, "");
}
