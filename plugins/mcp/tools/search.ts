import type { DisplayAction } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import { z } from "zod";
import { TOOL_SEARCH } from "./found.ts";

/** Most tools that one search adds, tools that one call may name, and characters of a description in the result. */
const MOST_FOUND = 8;
const MOST_NAMES = 32;
const MOST_DESCRIPTION = 200;

const parameters = z.object({
  query: z.string().max(500).optional().describe("Words of what the tool should do."),
  names: z.array(z.string().max(200)).max(MOST_NAMES).optional().describe("Exact names of tools."),
});
type Params = z.output<typeof parameters>;

export interface SearchOptions {
  /** Names of all servers that are not disabled. */
  servers: readonly string[];
  searchable(): readonly Tool[];
  /** Offers these tools from the next request on. Returns the names of those that can be used. */
  offer(names: readonly string[]): string[];
  /** Servers that have not reported yet what they offer. */
  starting(): string[];
  /** Servers that have more tools than are read. */
  cut(): string[];
  /** Asks servers for tools that they have added. Returns whether the search may find more afterwards. */
  renew(signal: AbortSignal): Promise<boolean>;
}

/** Makes the tool ToolSearch. Its description stays the same for the whole session, so that the provider's cache stays valid. */
export function createSearch({ servers, searchable, offer, starting, cut, renew }: SearchOptions): Tool<Params> {
  return {
    name: TOOL_SEARCH,
    label: "Tool search",
    description: `Find tools of the MCP servers ${servers.join(", ")}. They have too many to list; what this finds can be called from your next step on and stays.`,
    parameters,
    approval: "free",
    finds: () => searchable().map(({ name }) => name),
    access: () => "read",
    async execute(_id, { query = "", names = [] }, signal = new AbortController().signal) {
      const look = () => [...new Set([...named(searchable(), names), ...byWords(searchable(), query)])];
      let wanted = look();
      const isAll = wanted.length > 0 && missing(searchable(), names).length === 0;
      if (!isAll && (await renew(signal))) wanted = look();
      const tools = searchable();
      const usable = new Set(offer(wanted.map(({ name }) => name)));
      const found = wanted.filter(({ name }) => usable.has(name));
      const notes = [...missing(tools, names), ...late(starting()), ...left(cut())];
      const rows = found.map(
        ({ name, description }) => `${name}: ${beginningOf(lineOf(description), MOST_DESCRIPTION)}`,
      );
      const head = found.length > 0 ? ["You can call these now:"] : ["No tool was found. Try other words."];
      return {
        content: [{ type: "text", text: [...head, ...rows, ...notes].join("\n") }],
        details: { found: found.map(({ name }) => name) },
      };
    },
    display,
  };
}

function named(tools: readonly Tool[], names: readonly string[]): Tool[] {
  return names.flatMap((name) => tools.filter((tool) => isCalled(tool, name)));
}

/** Also accepts the name without the prefix `mcp__server__`. */
const isCalled = (tool: Tool, name: string) => tool.name === name || tool.name.replace(/^mcp__.+?__/, "") === name;

function missing(tools: readonly Tool[], names: readonly string[]): string[] {
  const unknown = names.filter((name) => !tools.some((tool) => isCalled(tool, name)));
  return unknown.length === 0 ? [] : [`There is no tool named ${unknown.map(lineOf).join(", ")}.`];
}

function late(servers: readonly string[]): string[] {
  return servers.length === 0 ? [] : [`Not searched, since they are still starting: ${servers.join(", ")}.`];
}

function left(servers: readonly string[]): string[] {
  return servers.length === 0 ? [] : [`These servers have more tools than could be searched: ${servers.join(", ")}.`];
}

/** The tools that match most words, best first. A match in the name counts more than one in the description. */
function byWords(tools: readonly Tool[], query: string): Tool[] {
  const words = [...new Set(wordsIn(query))];
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, words) })).filter(({ score }) => score > 0);
  // Sorting is stable: tools with equal scores keep their order.
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => tool);
}

function scoreOf({ name, description }: Tool, words: readonly string[]): number {
  const inName = new Set(wordsIn(name));
  const inDescription = new Set(wordsIn(description));
  return words.reduce((sum, word) => {
    if (inName.has(word)) return sum + 4;
    if (inDescription.has(word)) return sum + 2;
    const isPart = word.length > 2 && (contains(inName, word) || contains(inDescription, word));
    return isPart ? sum + 1 : sum;
  }, 0);
}

const contains = (words: ReadonlySet<string>, part: string) => [...words].some((word) => word.includes(part));

/** The lower-case words of text, or of a name such as `searchIssues_v2`. */
function wordsIn(text: string): string[] {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return apart.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function display({ query = "", names = [] }: Params, result: ToolOutput | undefined): DisplayAction {
  const title = `Tool search: ${lineOf([query, ...names].filter(Boolean).join(", ")).slice(0, 120)}`;
  const text = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") ?? "";
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  return { display: "card", title, status, text };
}
