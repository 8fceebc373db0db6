import type { Possible, ScriptAnalysis } from "../rules/possible.ts";
import type { SimpleCommand } from "./simple-command.ts";

const TOO_MUCH = "more than can be checked";
const MAX_DEPTH = 8;
/** The most characters that are read, of the script and of all scripts that it runs. */
const MAX_READ = 64_000;
const MAX_COMMANDS = 1_000;
const MAX_DOUBTS = 10;

/** What was found in a script so far. Reading stops at limits on characters, commands and depth. */
export class Findings implements ScriptAnalysis {
  readonly commands: Possible[] = [];
  readonly unsure: string[] = [];
  private readonly known = new Set<string>();
  private left = MAX_READ;

  /** Adds a command once. `anywhere`: any of its words may be the first word of a command. */
  protected add(
    { words, assignments = [], redirects = [] }: SimpleCommand,
    { sure }: { sure: boolean },
    anywhere = false,
  ): void {
    if (words.length + assignments.length + redirects.length === 0) return;
    const command = { words, assignments, redirects, sure: sure && !anywhere, anywhere };
    if (!this.isKnown(command)) this.commands.push(command);
  }

  protected doubt(why: string): void {
    if (this.unsure.length < MAX_DOUBTS) this.unsure.push(why);
  }

  /**
   * Counts characters to be read at a depth. Returns false when a limit is exceeded; the caller must not read them
   * then.
   */
  protected mayRead(characters: number, depth: number): boolean {
    this.left -= characters;
    if (depth > MAX_DEPTH) this.unsure.unshift(TOO_MUCH);
    return depth <= MAX_DEPTH && !this.isFull();
  }

  /** Whether a size limit was reached, so that the rest stays unread. */
  protected isFull(): boolean {
    const isFull = this.left < 0 || this.commands.length > MAX_COMMANDS;
    if (isFull && this.unsure[0] !== TOO_MUCH) this.unsure.unshift(TOO_MUCH);
    return isFull;
  }

  /** Whether this combination was seen before; remembers it. */
  protected isKnown(...what: readonly object[]): boolean {
    const key = JSON.stringify(what);
    const isKnown = this.known.has(key);
    this.known.add(key);
    return isKnown;
  }
}
