import { messageOf } from "@scorel/kernel";
import { cleanServerName, MCP_JSON, type McpJsonServer, readMcpJson } from "@scorel/kit/schema/mcp-json";
import { visibleName } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { TrustItem } from "../contract.ts";
import { hostOf } from "./host-of.ts";

/**
 * The most characters of one word, such as an argument or a header, and of all words of a server. The text says how
 * many more there are.
 */
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
  // The name that sessions use; a name without any usable character is shown as written, together with what is wrong
  // with it.
  const name = cleanServerName(server.name) || shown(server.name);
  if (server.flaw !== undefined)
    return { kind: "other", what: `MCP server ${name}: not used, as ${server.flaw}`, place: MCP_JSON };
  if (server.url !== undefined) {
    const headers = Object.entries(server.headers ?? {}).map(([key, value]) => `${key}: ${value}`);
    const sent = headers.length === 0 ? "" : `, with the headers ${shown(...headers)}`;
    return {
      kind: "redirect",
      what: `MCP server ${name}: data from the model is sent to ${shown(server.url)}${hostOf(server.url)}${sent}`,
      place: MCP_JSON,
    };
  }
  const { command = "", args = [], env = {}, cwd } = server;
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const words = [...variables, command, ...args].map((word) => (isReference(word) ? word : quoted(word)));
  // It decides what the words mean, for example which `./server` is started.
  const folder = cwd === undefined ? "" : `, in the folder ${shown(cwd)}`;
  return { kind: "code", what: `MCP server ${name}: starts ${oneLine(words.join(" "))}${folder}`, place: MCP_JSON };
}

/** Whether a word only passes on a variable of the user, such as `TOKEN=${TOKEN}`; it is shown without quotes. */
const isReference = (word: string) => /^[A-Za-z_]\w*=\$\{\w+\}$/.test(word) && word.length <= LONGEST_WORD;

/** A word, quoted if necessary, so that two words never look like one. */
function quoted(word: string): string {
  return shellWord(word.slice(0, LONGEST_WORD)) + leftOut(word, LONGEST_WORD);
}

/** Words of a file as one line. Each word is cut separately, so that a long one does not hide those after it. */
function shown(...words: readonly string[]): string {
  return oneLine(words.map((word) => cut(word, LONGEST_WORD)).join(" "));
}

function oneLine(text: string): string {
  return visibleName(cut(text, LONGEST));
}

const cut = (text: string, longest: number) => text.slice(0, longest) + leftOut(text, longest);

function leftOut(text: string, longest: number): string {
  return text.length <= longest ? "" : `… (${text.length - longest} more characters are in ${MCP_JSON})`;
}
