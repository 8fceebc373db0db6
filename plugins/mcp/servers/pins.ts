import { messageOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { readIfPresent } from "@scorel/kit/files/private";
import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";
import type { ListedTool } from "../wire/inventory.ts";
import type { Definition } from "./definitions.ts";
import { recordPath, writeRecord } from "./records.ts";
import { type Change, sorted, wordsOf } from "./words.ts";

/** What a person has accepted of the tools of a server, by its own names for them: hashes of descriptions and schemas. */
type Accepted = Record<string, string>;
/** The words themselves, to show what has changed. Records of earlier versions have none. */
type Words = Readonly<Record<string, string>>;

/**
 * The tools of a server as they were when it was first used, or when a person has last accepted them. A server could change what a tool
 * says of itself after rules allow it, so a tool that has changed, or that was added, counts as unknown until it is accepted.
 */
export class Pins {
  private readonly server: string;
  private readonly path: string;
  private readonly report: (thrown: unknown) => void;
  private accepted: Accepted | undefined;
  private acceptedWords: Words = {};
  private current: Accepted = {};
  private words: Words = {};

  constructor(definition: Pick<Definition, "name" | "way">, report: (thrown: unknown) => void) {
    this.server = definition.name;
    this.path = recordPath(definition);
    this.report = report;
  }

  /** Takes note of the present tools. Those of a server that was never used are accepted. Returns the names of the others. */
  see(tools: readonly ListedTool[]): string[] {
    this.current = Object.fromEntries(tools.map((tool) => [tool.name, hashOf(tool)]));
    this.words = Object.fromEntries(tools.map((tool) => [tool.name, wordsOf(tool)]));
    this.accepted ??= this.read();
    if (!this.accepted) this.accept(Object.keys(this.current));
    return Object.keys(this.current).filter((tool) => this.isChanged(tool));
  }

  isAccepted(tool: string): boolean {
    return this.has(tool) && this.accepted?.[tool] === this.current[tool];
  }

  /** Whether the server has the tool, but in other words than those that were accepted. */
  isChanged(tool: string): boolean {
    return this.has(tool) && !this.isAccepted(tool);
  }

  /** The names of all that is there now. */
  get names(): string[] {
    return Object.keys(this.current);
  }

  has(tool: string): boolean {
    return Object.hasOwn(this.current, tool);
  }

  /** What has changed in a tool since it was accepted; undefined if nothing has. */
  changeOf(tool: string): Change | undefined {
    if (!this.isChanged(tool)) return undefined;
    const isOld = this.accepted !== undefined && Object.hasOwn(this.accepted, tool);
    return { was: isOld ? (own(this.acceptedWords, tool) ?? null) : undefined, now: own(this.words, tool) ?? "" };
  }

  /** Accepts these tools as they are now. */
  accept(tools: readonly string[]): void {
    const fresh = tools.filter((tool) => this.isChanged(tool));
    if (fresh.length === 0 && this.accepted) return;
    const chosen = (from: Accepted | Words) => Object.fromEntries(fresh.map((tool) => [tool, from[tool] as string]));
    this.accepted = { ...this.accepted, ...chosen(this.current) };
    this.acceptedWords = { ...this.acceptedWords, ...chosen(this.words) };
    this.write(this.accepted, this.acceptedWords);
  }

  private read(): Accepted | undefined {
    const { path } = this;
    try {
      const text = readIfPresent(path);
      if (text === undefined) return undefined;
      const record: unknown = JSON.parse(text);
      const accepted = acceptedIn(record);
      this.acceptedWords = wordsIn(record);
      return accepted;
    } catch (thrown) {
      this.report(errors.MCP_PINS({ server: this.server, path, reason: messageOf(thrown) }, { cause: thrown }));
      return {};
    }
  }

  private write(tools: Accepted, words: Words): void {
    const { path } = this;
    try {
      writeRecord(path, { server: this.server, tools, words });
    } catch (thrown) {
      this.report(errors.MCP_PINS({ server: this.server, path, reason: messageOf(thrown) }, { cause: thrown }));
    }
  }
}

function acceptedIn(value: unknown): Accepted {
  const tools = isTable(value) ? value.tools : undefined;
  if (!isTable(tools) || !Object.values(tools).every((hash) => typeof hash === "string"))
    throw new Error("it has no list of tools");
  return tools as Accepted;
}

function wordsIn(value: unknown): Words {
  const { words = {} } = isTable(value) ? value : {};
  if (!isTable(words) || !Object.values(words).every((text) => typeof text === "string"))
    throw new Error("its words of tools are damaged");
  return words as Words;
}

const own = (words: Words, tool: string): string | undefined => (Object.hasOwn(words, tool) ? words[tool] : undefined);

function hashOf({ title, description, inputSchema }: ListedTool): string {
  return sha256Of(JSON.stringify([title ?? "", description ?? "", sorted(inputSchema)]));
}
