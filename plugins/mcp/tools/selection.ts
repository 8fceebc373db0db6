import type { Tool } from "@scorel/tools/contract";

/** A rough estimate, in bytes of UTF-8, as for prompts. */
const BYTES_PER_TOKEN = 4;

export interface SelectionOptions {
  /** Tokens that the descriptions of all tools may have together; undefined: any number. */
  budget(): number | undefined;
  /** The names of the tools that were found in this session. */
  found: readonly string[];
  /** The tool that finds the others. */
  search: Tool;
}

/** Which tools the model is offered: all, or, if their descriptions are too long, one that finds them and those that it has found. */
export class Selection {
  /** Once true it stays so: each change makes the provider read the conversation anew. */
  isDeferred = false;
  private readonly options: SelectionOptions;
  private readonly found: Set<string>;
  private isForbidden = false;
  private all: readonly Tool[] = [];

  constructor(options: SelectionOptions) {
    this.options = options;
    this.found = new Set(options.found);
  }

  /** The tools to offer of these. */
  of(all: readonly Tool[]): Tool[] {
    this.all = all;
    const budget = this.isDeferred || this.isForbidden ? undefined : this.options.budget();
    if (budget !== undefined && tokensOf(all) > budget) this.isDeferred = true;
    if (!this.isDeferred) return [...all];
    return [this.options.search, ...this.namedOf([...this.found])];
  }

  /** Lets these be found; what is offered stays. */
  renew(all: readonly Tool[]): void {
    this.all = all;
  }

  /** All tools that can be found. */
  get searchable(): readonly Tool[] {
    return this.all;
  }

  /** Adds tools at the end of those that are offered. */
  add(names: readonly string[]): Tool[] {
    const fresh = names.filter((name) => !this.found.has(name));
    for (const name of fresh) this.found.add(name);
    return this.namedOf(fresh);
  }

  /** Offers all tools after all, since the one that finds them may not be used here. */
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

/** Estimated tokens of the descriptions of tools. */
export function tokensOf(tools: readonly Tool[]): number {
  return Math.ceil(Buffer.byteLength(textOf(tools)) / BYTES_PER_TOKEN);
}

/** What a request says about tools. */
export function textOf(tools: readonly Tool[]): string {
  return JSON.stringify(tools.map(({ name, description, parameters }) => [name, description, parameters]));
}

/** A configured budget in tokens: a share of the window up to 1, else tokens; 0 stands for none. */
export function budgetIn(window: number, size: number): number | undefined {
  if (size === 0 || (size <= 1 && window <= 0)) return undefined;
  return size <= 1 ? Math.floor(window * size) : size;
}
