import { isSecret } from "@scorel/kit/text/secret-free";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { FieldMode } from "../parts.ts";
import { type History, keyOf, type Sent } from "./history.ts";

/** Shorter values of the environment may be ordinary words. */
const SHORTEST_SECRET = 8;

/** A text from the history, or the one that was being written before. */
export interface Recalled extends Sent {
  own: boolean;
}

/**
 * The way through the history by the arrow keys. From a message, it leads to everything that was sent, as what it was: a command or a
 * line for the shell has its mark, and is run when the person sends it. From a command or a line for the shell, it leads to its like.
 */
export class HistoryWalk {
  private readonly history: History;
  private readonly tell: (problem: string) => void;
  private walk: { entries: readonly Sent[]; index: number; own: Sent } | undefined;

  /** `tell` is told why the history cannot be read or written, at most once. */
  constructor(history: History, tell: (problem: string) => void) {
    this.history = history;
    let told = false;
    this.tell = (problem) => {
      if (!told) tell(problem);
      told = true;
    };
  }

  /** The text before the one that is shown; `own` is what is being written. */
  older(own: Sent): Recalled | undefined {
    const walk = this.walk ?? { entries: this.entriesOf(own.mode), index: 0, own };
    const sent = walk.entries[walk.index];
    if (sent === undefined) return undefined;
    this.walk = { ...walk, index: walk.index + 1 };
    return { ...sent, own: false };
  }

  /** How often each command was sent. */
  uses(): ReadonlyMap<string, number> {
    const uses = new Map<string, number>();
    for (const { mode, text } of this.all()) {
      const [name = ""] = mode === "command" ? text.split(/\s/, 1) : [];
      if (name !== "") uses.set(name, (uses.get(name) ?? 0) + 1);
    }
    return uses;
  }

  newer(): Recalled | undefined {
    const { walk } = this;
    const sent = walk?.entries[walk.index - 2];
    if (!walk || !sent) return this.toOwn();
    this.walk = { ...walk, index: walk.index - 1 };
    return { ...sent, own: false };
  }

  /** What was being written, unless it is shown already or `shown` is no longer the text from the history. */
  toOwn(shown?: string): Recalled | undefined {
    const { walk } = this;
    if (!walk || (shown !== undefined && walk.entries[walk.index - 1]?.text !== shown)) return undefined;
    this.leave();
    return { ...walk.own, own: true };
  }

  /** Begins with the newest text again. */
  leave(): void {
    this.walk = undefined;
  }

  add(sent: Sent): void {
    this.leave();
    this.history.add(sent).catch((thrown) => this.tell(messageOf(thrown)));
  }

  /** What may be recalled in a mode, the newest first, each once. */
  entriesOf(mode: FieldMode): Sent[] {
    const all = this.all().filter((sent) => mode === "message" || sent.mode === mode);
    return [...new Map([...all].reverse().map((sent) => [keyOf(sent), sent])).values()];
  }

  private all(): readonly Sent[] {
    try {
      return this.history.all();
    } catch (thrown) {
      this.tell(messageOf(thrown));
      return [];
    }
  }
}

/** Returns a function that takes the values of variables such as `OPENAI_API_KEY` out of a text. */
export function withoutSecrets(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = Object.entries(env)
    .filter(([name, value = ""]) => isSecret(name) && value.length >= SHORTEST_SECRET && !value.startsWith("/"))
    .map(([, value]) => value as string)
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((rest, value) => rest.replaceAll(value, "[redacted]"), text);
}
