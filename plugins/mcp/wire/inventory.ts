import type { Client } from "@modelcontextprotocol/client";
import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import { isTable } from "@scorel/kit/values/table";
import { z } from "zod";

/** Most pages of a list, and most entries, that are read from one server. */
const MOST_PAGES = 64;
const MOST_ENTRIES = 256;
/** Limits for tools: pages, tools, and characters of all descriptions. There are catalogues with thousands of tools. */
const MOST_TOOL_PAGES = 512;
const MOST_TOOLS = 4_096;
export const MOST_TOOL_TEXT = 8_000_000;
/** Milliseconds for a page of tools, and for a page of any other list. */
const TOOLS_MS = 60_000;
const OTHERS_MS = 10_000;
/** Most characters of a server's instructions. */
const MOST_INSTRUCTIONS = 2_000;

/** A tool as a server lists it. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** A prompt as a server lists it: text that the server makes from the arguments. */
export interface ListedPrompt {
  name: string;
  description?: string | undefined;
  arguments?: readonly { name: string; description?: string | undefined; required?: boolean | undefined }[] | undefined;
}

/** A resource as a server lists it. */
export interface ListedResource {
  uri: string;
  name: string;
  description?: string | undefined;
  mimeType?: string | undefined;
}

/** Everything that a server offers. */
export interface Inventory {
  tools: readonly ListedTool[];
  /** Whether it has more tools than are read. */
  isCut: boolean;
  /** Problems of the tools that are left out because their description is invalid, one text for each. */
  flawed?: readonly string[];
  prompts: readonly ListedPrompt[];
  /** Whether it has resources or resource templates. */
  hasResources: boolean;
  /** Its resources, then its resource templates. Undefined in a record of an earlier version. */
  resources?: readonly ListedResource[];
  /** Its instructions for the model. */
  instructions?: string;
}

interface List<T> {
  entries: T[];
  isCut: boolean;
}
interface Page<T> {
  entries: readonly T[];
  next?: string | undefined;
  /** Whether further pages could not be read. */
  isCut?: boolean;
}

const NONE: List<ListedResource> = { entries: [], isCut: false };

/**
 * Asks a server for everything that it offers. Rejects only on abort or if the tools cannot be listed: without the
 * rest, the server can still be used.
 */
export async function inventoryOf(client: Client, signal: AbortSignal): Promise<Inventory> {
  const { tools: hasTools, prompts: hasPrompts, resources: canList } = client.getServerCapabilities() ?? {};
  const [tools, prompts, resources] = await Promise.all([
    hasTools ? toolsOf(client, signal) : { entries: [] as unknown[], isCut: false },
    hasPrompts ? promptsOf(client, signal).catch(() => []) : [],
    canList ? resourcesOf(client, signal).catch(() => NONE) : NONE,
  ]);
  // Lists that were cut off by the abort would look like what the server offers now.
  signal.throwIfAborted();
  const own = resources.entries.map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType }));
  const instructions = beginningOf(client.getInstructions()?.trim() ?? "", MOST_INSTRUCTIONS);
  const usable = tools.entries.filter(isTool);
  const flawed = tools.entries.flatMap(flawOf);
  const all = { tools: usable, isCut: tools.isCut, flawed, prompts, hasResources: own.length > 0, resources: own };
  return { ...all, ...(instructions && { instructions }) };
}

/** Looser than the SDK's schema, which rejects the whole list for one invalid tool. */
const toolPage = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

function toolsOf(client: Client, signal: AbortSignal): Promise<List<unknown>> {
  const bounds = { pages: MOST_TOOL_PAGES, entries: MOST_TOOLS, text: MOST_TOOL_TEXT };
  return listed(async (params) => {
    const asked = { method: "tools/list", params } as const;
    const { tools, nextCursor } = await client.request(asked, toolPage, { timeout: TOOLS_MS, signal });
    return { entries: tools, next: nextCursor };
  }, bounds);
}

/** Whether a value is a tool as the protocol defines it. */
export function isTool(value: unknown): value is ListedTool {
  return flawOf(value).length === 0;
}

/** Problems of a tool's description; empty if it is valid. */
function flawOf(value: unknown): string[] {
  const { name, title, description, inputSchema } = isTable(value) ? value : {};
  if (typeof name !== "string") return ["one has no name"];
  const shown = lineOf(name).slice(0, 64);
  if (!isTable(inputSchema)) return [`${shown} has no inputSchema`];
  return [title, description].every((text) => text === undefined || typeof text === "string")
    ? []
    : [`the title or description of ${shown} is no text`];
}

async function promptsOf(client: Client, signal: AbortSignal): Promise<ListedPrompt[]> {
  const options = { timeout: OTHERS_MS, signal };
  const { entries } = await listed<ListedPrompt>(async (params) => {
    const { prompts, nextCursor } = await client.request({ method: "prompts/list", params }, options);
    return { entries: prompts, next: nextCursor };
  });
  return entries.map(({ name, description, arguments: args }) => ({ name, description, arguments: args }));
}

/** The resources of a server, then its resource templates. */
export async function resourcesOf(client: Client, signal: AbortSignal): Promise<List<ListedResource>> {
  const options = { timeout: OTHERS_MS, signal };
  const own = await listed<ListedResource>(async (params) => {
    const { resources, nextCursor } = await client.request({ method: "resources/list", params }, options);
    return { entries: resources, next: nextCursor };
  });
  // Servers need not support the request for templates.
  const patterns = await templatesOf(client, signal).catch(() => NONE);
  return { entries: [...own.entries, ...patterns.entries], isCut: own.isCut || patterns.isCut };
}

/** Lists the templates that can be read within the time limit. Rejects only if that is none. */
function templatesOf(client: Client, signal: AbortSignal): Promise<List<ListedResource>> {
  const limit = AbortSignal.timeout(OTHERS_MS);
  const options = { timeout: OTHERS_MS, signal: AbortSignal.any([signal, limit]) };
  const page = async (params: { cursor?: string }): Promise<Page<ListedResource>> => {
    const asked = { method: "resources/templates/list", params } as const;
    const { resourceTemplates, nextCursor } = await client.request(asked, options);
    const entries = resourceTemplates.map(({ uriTemplate, ...rest }) => ({ ...rest, uri: uriTemplate }));
    return { entries, next: nextCursor };
  };
  return listed(async (params) => {
    const read = page(params);
    return params.cursor === undefined ? read : read.catch(() => ({ entries: [], isCut: true }));
  });
}

interface Bounds {
  pages: number;
  entries: number;
  /** Most characters of all entries as JSON. */
  text?: number;
}
const USUAL: Bounds = { pages: MOST_PAGES, entries: MOST_ENTRIES };

/** Reads a list page by page. Limited, since the list of a server may be endless. */
async function listed<T>(
  ask: (params: { cursor?: string }) => Promise<Page<T>>,
  { pages, entries: most, text: mostText = Number.POSITIVE_INFINITY }: Bounds = USUAL,
): Promise<List<T>> {
  const entries: T[] = [];
  let cursor: string | undefined;
  let size = 0;
  for (let page = 0; page < pages; page++) {
    const answer = await ask(cursor === undefined ? {} : { cursor });
    for (const entry of answer.entries) {
      size += mostText === Number.POSITIVE_INFINITY ? 0 : JSON.stringify(entry).length;
      if (entries.length === most || size > mostText) return { entries, isCut: true };
      entries.push(entry);
    }
    cursor = answer.next;
    if (cursor === undefined) return { entries, isCut: answer.isCut ?? false };
  }
  return { entries, isCut: true };
}
