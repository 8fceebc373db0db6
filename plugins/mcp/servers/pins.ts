import { messageOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { readIfPresent } from "@scorel/kit/files/private";
import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";
import type { ListedTool } from "../wire/inventory.ts";
import type { Definition } from "./definitions.ts";
import { recordPath, writeRecord } from "./records.ts";
import { type Change, sorted, wordsOf } from "./words.ts";

/** Hashes of the accepted descriptions and schemas, by the server's names of the tools. */
type Accepted = Record<string, string>;
/** The accepted descriptions and schemas as `wordsOf` writes them, to show what has changed. Missing in records of earlier versions. */
type Words = Readonly<Record<string, string>>;

/**
 * The accepted tools of a server: as they were at its first use, or when a person has accepted them later. A server could change the
 * description of a tool after rules allow it, so a tool that has changed or is new must be accepted again.
 */
export class Pins {
  private readonly server: string;
  private readonly path: string;
  private readonly report: (thrown: unknown) => void;
  private accepted: Accepted | undefined;
  private acceptedWords: Words = {};
  private current: Accepted = {};
  private words: Words = {};
  /** Hashes of the tools as the guards saw them, by the ids of the calls. A call that was refused leaves a few bytes until the session ends. */
  private readonly judged = new Map<string, string>();

  constructor(definition: Pick<Definition, "name" | "way">, report: (thrown: unknown) => void) {
    this.server = definition.name;
    this.path = recordPath(definition);
    this.report = report;
  }

  /** Records the current tools. At the first use of a server, all are accepted. Returns the names of those that are not accepted. */
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

  /** Whether the server has the tool, but not as it was accepted. */
  isChanged(tool: string): boolean {
    return this.has(tool) && !this.isAccepted(tool);
  }

  /** Names of all current tools. */
  get names(): string[] {
    return Object.keys(this.current);
  }

  has(tool: string): boolean {
    return Object.hasOwn(this.current, tool);
  }

  /** The change of a tool since it was accepted; undefined if it is unchanged. */
  changeOf(tool: string): Change | undefined {
    if (!this.isChanged(tool)) return undefined;
    const isOld = this.accepted !== undefined && Object.hasOwn(this.accepted, tool);
    return { was: isOld ? (own(this.acceptedWords, tool) ?? null) : undefined, now: own(this.words, tool) ?? "" };
  }

  /** Records that the guards decide about this call by what the tool is now. */
  judge(toolCallId: string, tool: string): void {
    if (this.has(tool)) this.judged.set(toolCallId, this.current[tool] as string);
    else this.judged.delete(toolCallId);
  }

  /**
   * Accepts a tool for an approved call. If it has changed since the guards saw it, nobody has approved its new words, so it is not
   * accepted. Returns whether the tool is still the approved one; to be called again right before the request, since the server may change
   * its tools at any time.
   */
  approve(toolCallId: string, tool: string): () => boolean {
    const judged = this.judged.get(toolCallId);
    this.judged.delete(toolCallId);
    const isSame = () => judged === undefined || this.current[tool] === judged;
    if (judged !== undefined && isSame()) this.accept([tool]);
    return () => this.isAccepted(tool) && isSame();
  }

  /** Accepts the current state of these tools. */
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
