import type { Tool } from "@scorel/tools/contract";

/** Bytes of UTF-8 per token: a rough estimate, as for prompts. */
const BYTES_PER_TOKEN = 4;

export interface SelectionOptions {
  /** Most tokens that the descriptions of all tools together may have; undefined for no limit. */
  budget(): number | undefined;
  /** Names of the tools that were found in this session. */
  found: readonly string[];
  /** The tool that finds the other ones. */
  search: Tool;
}

/**
 * Decides which tools the model is offered: all of them, or, if their descriptions are too long, only ToolSearch and the tools that it has
 * found.
 */
export class Selection {
  /** Never becomes false again, except by `giveUp`: each change makes the provider process the whole conversation again. */
  isDeferred = false;
  private readonly options: SelectionOptions;
  private readonly found: Set<string>;
  private isForbidden = false;
  private all: readonly Tool[] = [];

  constructor(options: SelectionOptions) {
    this.options = options;
    this.found = new Set(options.found);
  }

  /** Selects the tools to offer. */
  of(all: readonly Tool[]): Tool[] {
    this.all = all;
    const budget = this.isDeferred || this.isForbidden ? undefined : this.options.budget();
    if (budget !== undefined && tokensOf(all) > budget) this.isDeferred = true;
    if (!this.isDeferred) return [...all];
    return [this.options.search, ...this.namedOf([...this.found])];
  }

  /** Replaces the tools that can be found. The offered ones stay. */
  renew(all: readonly Tool[]): void {
    this.all = all;
  }

  /** All tools that can be found. */
  get searchable(): readonly Tool[] {
    return this.all;
  }

  /** Appends found tools to the offered ones, and returns the added ones. */
  add(names: readonly string[]): Tool[] {
    const fresh = names.filter((name) => !this.found.has(name));
    for (const name of fresh) this.found.add(name);
    return this.namedOf(fresh);
  }

  /** Offers all tools, because ToolSearch cannot be used in this session. */
  giveUp(): void {
    this.isForbidden = true;
    this.isDeferred = false;
  }

  private namedOf(names: readonly string[]): Tool[] {
    const order = [...this.found];
    return names.flatMap((name) =>
      this.all.filter((tool) => tool.name === name).map((tool) => ({ ...tool, position: order.indexOf(name) })),
    );
  }
}

/** Estimated tokens of the descriptions of these tools. */
export function tokensOf(tools: readonly Tool[]): number {
  return Math.ceil(Buffer.byteLength(textOf(tools)) / BYTES_PER_TOKEN);
}

/** The text about the tools in a request. */
export function textOf(tools: readonly Tool[]): string {
  return JSON.stringify(tools.map(({ name, description, parameters }) => [name, description, parameters]));
}

/** Converts the configured budget to tokens: up to 1 it is a share of the context window, above that tokens. 0 means no limit. */
export function budgetIn(window: number, size: number): number | undefined {
  if (size === 0 || (size <= 1 && window <= 0)) return undefined;
  return size <= 1 ? Math.floor(window * size) : size;
}
