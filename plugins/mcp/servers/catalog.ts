import { utimesSync } from "node:fs";
import { messageOf } from "@scorel/kernel";
import { readIfPresent, removeIfPresent } from "@scorel/kit/files/private";
import { clause } from "@scorel/kit/text/one-line";
import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";
import {
  type Inventory,
  isTool,
  type ListedPrompt,
  type ListedResource,
  type ListedTool,
  MOST_TOOL_TEXT,
} from "../wire/inventory.ts";
import type { Definition } from "./definitions.ts";
import { Pins } from "./pins.ts";
import { isYoung, recordPath, removeUnused, writeRecord } from "./records.ts";

/**
 * Most characters of a server's record on disk: those for tools, and 2,000,000 for everything else. A server with more is not stored, so
 * each session waits for it.
 */
const MOST_KEPT = MOST_TOOL_TEXT + 2_000_000;

/** The kinds of records: what a server offers, and that it was late. */
const TOOLS = ".tools";
const LATE = ".late";

/** Milliseconds for which the record of a server counts as fresh: short sessions then neither ask the server again nor wait for it. */
const WHILE_MS = 60 * 60_000;

/** Name under which the instructions of a server are accepted, as if they were one of its tools. */
export const INSTRUCTIONS = "(instructions)";

/**
 * Everything that a server offers. It is stored on disk, so that the next session can offer it before the server is running. What the
 * server reports then replaces it.
 */
export class Catalog {
  readonly pins: Pins;
  /** Undefined until it is known. It stays known while the server restarts. */
  inventory: Inventory | undefined;
  /** Name and version that the server reports. */
  version: string | undefined;
  /** Whether the server itself has reported what it offers in this session. */
  isFirstHand = false;
  private readonly server: string;
  private readonly path: string;
  private readonly latePath: string;
  private readonly report: (thrown: unknown) => void;
  private kept: string | undefined;
  /** Changed tools that people have been told about. */
  private readonly told = new Set<string>();

  constructor(definition: Pick<Definition, "name" | "way">, report: (thrown: unknown) => void) {
    this.server = definition.name;
    this.path = recordPath(definition, TOOLS);
    this.latePath = recordPath(definition, LATE);
    this.report = report;
    this.pins = new Pins(definition, report);
  }

  get tools(): readonly ListedTool[] | undefined {
    return this.inventory?.tools;
  }

  /** Whether the record on disk is fresh. */
  get isYoung(): boolean {
    return isYoung(this.path, WHILE_MS);
  }

  /** Whether a recent session ended before the server had started. */
  get wasLate(): boolean {
    return isYoung(this.latePath, WHILE_MS);
  }

  noteLate(): void {
    this.writing(() => writeRecord(this.latePath, { server: this.server }));
  }

  /** Reads the record of an earlier session, if there is one. */
  recall(): void {
    if (this.inventory) return;
    try {
      const text = readIfPresent(this.path);
      if (text === undefined) return;
      const { version, inventory: kept } = recordIn(JSON.parse(text));
      const inventory = distinct(kept);
      this.pins.see(pinnedIn(inventory));
      this.kept = JSON.stringify({ version, inventory });
      this.version = version;
      this.inventory = inventory;
    } catch (thrown) {
      this.report(
        errors.MCP_CACHE({ server: this.server, path: this.path, reason: messageOf(thrown) }, { cause: thrown }),
      );
    }
  }

  /** Records what the server reports. Tells people once about tools that differ from what was accepted. */
  learn(listed: Inventory, version: string): void {
    const inventory = distinct(listed);
    this.inventory = inventory;
    this.version = clause(version).slice(0, 100);
    this.isFirstHand = true;
    const changed = this.pins.see(pinnedIn(inventory)).map((tool) => clause(tool).slice(0, 64));
    const fresh = changed.filter((tool) => !this.told.has(tool));
    for (const tool of fresh) this.told.add(tool);
    const tools = fresh.filter((tool) => tool !== INSTRUCTIONS);
    if (tools.length > 0) this.report(errors.MCP_CHANGED({ server: this.server, tools }));
    if (tools.length < fresh.length) this.report(errors.MCP_INSTRUCTIONS({ server: this.server }));
    this.keep();
  }

  private keep(): void {
    const { version, inventory } = this;
    const text = JSON.stringify({ version, inventory });
    this.writing(() => {
      removeIfPresent(this.latePath);
      if (text.length > MOST_KEPT) return;
      if (text === this.kept) return touch(this.path);
      writeRecord(this.path, { server: this.server, version, inventory });
      const isFirst = this.kept === undefined;
      this.kept = text;
      if (isFirst) for (const kind of [TOOLS, LATE]) removeUnused(kind);
    });
  }

  private writing(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.report(
        errors.MCP_CACHE({ server: this.server, path: this.path, reason: messageOf(thrown) }, { cause: thrown }),
      );
    }
  }
}

function touch(path: string): void {
  const now = new Date();
  utimesSync(path, now, now);
}

function recordIn(value: unknown): { version: string; inventory: Inventory } {
  const { version, inventory } = isTable(value) ? value : {};
  if (typeof version !== "string" || !isTable(inventory)) throw new Error("it has no list of tools");
  const { tools, isCut, flawed = [], prompts = [], hasResources, resources, instructions } = inventory;
  if (!Array.isArray(tools) || !tools.every(isTool)) throw new Error("its list of tools is damaged");
  if (!Array.isArray(prompts) || !prompts.every(isPrompt)) throw new Error("its list of prompts is damaged");
  if (resources !== undefined && !(Array.isArray(resources) && resources.every(isResource)))
    throw new Error("its list of resources is damaged");
  if (!isText(instructions)) throw new Error("its instructions are damaged");
  if (!Array.isArray(flawed) || !flawed.every((each) => typeof each === "string"))
    throw new Error("its list of tools is damaged");
  const kept = { tools, isCut: isCut === true, flawed, prompts, hasResources: hasResources === true };
  return {
    version,
    inventory: { ...kept, ...(resources && { resources }), ...(instructions !== undefined && { instructions }) },
  };
}

/**
 * The inventory without tools that have the name of an earlier one, or that of the instructions. Tools are accepted by their names, so a
 * server could change the tool that the model is offered, and list another one under its name as it was accepted.
 */
function distinct(inventory: Inventory): Inventory {
  const { tools, flawed = [] } = inventory;
  const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
  const isUsed = (tool: ListedTool) => first.get(tool.name) === tool && tool.name !== INSTRUCTIONS;
  const others = tools.filter((tool) => !isUsed(tool));
  if (others.length === 0) return inventory;
  const problems = others.map(({ name }) =>
    name === INSTRUCTIONS
      ? `${name} is not a name for a tool`
      : `${clause(name).slice(0, 64)} is listed more than once`,
  );
  return { ...inventory, tools: tools.filter(isUsed), flawed: [...flawed, ...problems] };
}

function pinnedIn({ tools, instructions }: Inventory): readonly ListedTool[] {
  if (instructions === undefined) return tools;
  return [...tools, { name: INSTRUCTIONS, description: instructions, inputSchema: {} }];
}

function isPrompt(value: unknown): value is ListedPrompt {
  if (!isTable(value) || typeof value.name !== "string") return false;
  const { description, arguments: args = [] } = value;
  const isNamed = (each: unknown) => isTable(each) && typeof each.name === "string" && isText(each.description);
  return isText(description) && Array.isArray(args) && args.every(isNamed);
}

function isResource(value: unknown): value is ListedResource {
  if (!isTable(value) || typeof value.uri !== "string" || typeof value.name !== "string") return false;
  return isText(value.description) && isText(value.mimeType);
}

const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
