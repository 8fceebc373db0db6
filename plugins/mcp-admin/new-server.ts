import type { Invocation } from "@scorel/cli/contract";
import { rootOf } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { cleanServerName, readMcpServers } from "@scorel/kit/schema/mcp-json";
import { visibleName } from "@scorel/kit/text/plain";
import type { NewServer } from "./config-file.ts";
import { errors } from "./errors.ts";
import { type Candidate, candidateOf, isTimeout, type Parts } from "./import/candidate.ts";

type Given = Pick<Invocation, "args" | "options" | "cwd">;
type Way = { command: string; args?: readonly string[] } | { url: string };

/** Reads the server from a command line of `scorel mcp add`. Throws errors with exit code 2. */
export function newServer(invocation: Given): NewServer {
  const {
    args: [given = "", ...words],
    options,
  } = invocation;
  const name = nameOf(given);
  const way = wayOf(name, words, options);
  const env = pairsOf("--env", options.env, /^([^=]+)=(.*)$/s);
  const headers = headersOf(options);
  if (env && "url" in way) throw errors.MCP_ADMIN_OPTION({ option: "--env", wants: "a program" });
  if (headers && !("url" in way)) throw errors.MCP_ADMIN_OPTION({ option: "--header", wants: "an address" });
  if (options.timeout !== undefined && options.scope === "project")
    throw errors.MCP_ADMIN_OPTION({ option: "--timeout", wants: "the scope user or local" });
  return {
    ...{ name, ...way, ...secondsOf(options.timeout), ...scopeOf(invocation) },
    ...(env && { env }),
    ...(headers && { headers }),
  };
}

/** Reads the server that `scorel mcp add-json` gets as JSON, as in a `.mcp.json`. Throws errors with exit code 2. */
export function serverInJson(invocation: Given): NewServer {
  const [given = "", text = ""] = invocation.args;
  const name = nameOf(given);
  const [server] = readMcpServers({ [name]: tableIn(name, text) });
  // A disabled server is left out of the list.
  if (!server) throw errors.MCP_ADMIN_JSON({ name, reason: 'its "disabled" is true' });
  const { flaw } = server;
  const candidate: Candidate = flaw === undefined ? candidateOf(name, { ...server } as Parts, []) : { name, flaw };
  if (candidate.flaw !== undefined) throw errors.MCP_ADMIN_JSON({ name, reason: candidate.flaw });
  return { ...candidate.server, ...scopeOf(invocation) };
}

function tableIn(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message is left out: it quotes the text, which may contain a key.
    throw errors.MCP_ADMIN_JSON({ name, reason: "it is not valid JSON" });
  }
}

function nameOf(name: string): string {
  if (name === "" || cleanServerName(name) !== name) throw errors.MCP_ADMIN_NAME({ name: visibleName(name) });
  return name;
}

/** The program or the URL. A URL in place of the program counts as a URL, as in other agents. */
function wayOf(name: string, words: readonly string[], { url: option, transport }: Given["options"]): Way {
  if (transport === "sse") throw errors.MCP_ADMIN_SSE({ name });
  const isAddress = transport === "http" || (transport !== "stdio" && /^https?:\/\//i.test(words[0] ?? ""));
  const given = option as string | undefined;
  const [url, rest] = given === undefined && isAddress ? [words[0], words.slice(1)] : [given, words];
  if (url === undefined) {
    const [command, ...args] = rest;
    if (!command || isAddress) throw errors.MCP_ADMIN_WAY({ name });
    return { command, ...(args.length > 0 && { args }) };
  }
  if (rest.length > 0 || transport === "stdio") throw errors.MCP_ADMIN_WAY({ name });
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ""))
    throw errors.MCP_ADMIN_URL({ url: visibleName(url) });
  return { url };
}

/** Headers as `Name=value` or, as in other agents, `Name: value`, and one for the variable that contains a key. */
function headersOf({ header, bearerTokenEnvVar: variable }: Given["options"]): Record<string, string> | undefined {
  const headers = pairsOf("--header", header, /^([^=:\s]+)(?:=|:\s*)(.*)$/s);
  if (variable === undefined) return headers;
  if (!/^[A-Za-z_]\w*$/.test(String(variable)))
    throw errors.MCP_ADMIN_TOKEN_VARIABLE({ given: visibleName(String(variable)) });
  return { ...headers, Authorization: `Bearer \${${variable}}` };
}

function pairsOf(option: string, given: unknown, shape: RegExp): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const pairs = [given].flat().map((text) => {
    const [, name, value] = shape.exec(String(text)) ?? [];
    if (name === undefined || value === undefined)
      throw errors.MCP_ADMIN_PAIR({ option, given: visibleName(String(text).split(/[=:]/, 1)[0] ?? "") });
    return [name, value];
  });
  return Object.fromEntries(pairs);
}

function secondsOf(given: unknown): Pick<NewServer, "timeout"> {
  if (given === undefined) return {};
  const timeout = Number(given);
  if (!isTimeout(timeout)) throw errors.MCP_ADMIN_SECONDS({ given: visibleName(String(given)) });
  return { timeout };
}

/** The projects that use a server of the user: all (undefined), or the one in this folder. */
function scopeOf({ options, cwd }: Given): Pick<NewServer, "projects"> {
  return options.scope === "local" ? { projects: [projectAt(cwd)] } : {};
}

/** The folder of the project that a folder belongs to. */
export function projectAt(cwd: string): string {
  return rootOf(canonical(cwd));
}
