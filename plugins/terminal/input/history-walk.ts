import { isSecret } from "@scorel/kit/text/secret-free";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { FieldMode } from "../parts.ts";
import { type History, keyOf, type Sent } from "./history.ts";

/** The fewest characters of a secret in the environment: shorter values may be ordinary words. */
const SHORTEST_SECRET = 8;

/** An entry of the history, or the text that was being written before (`own`). */
export interface Recalled extends Sent {
  own: boolean;
}

/**
 * Recalls texts of the history by the arrow keys. From a message, all texts are recalled, each in its mode: a command or a shell line has
 * its mark, and is run when the user sends it. From a command or a shell line, only texts of the same mode are recalled.
 */
export class HistoryWalk {
  private readonly history: History;
  private readonly tell: (problem: string) => void;
  private walk: { entries: readonly Sent[]; index: number; own: Sent } | undefined;

  /** `tell` is called with the reason when the history cannot be read or written, at most once. */
  constructor(history: History, tell: (problem: string) => void) {
    this.history = history;
    let told = false;
    this.tell = (problem) => {
      if (!told) tell(problem);
      told = true;
    };
  }

  /** The next older text; undefined when there is none. `own` is the text that is being written. */
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

  /** The text that was being written; undefined if it is shown already, or if `shown` is not the recalled text because it was edited. */
  toOwn(shown?: string): Recalled | undefined {
    const { walk } = this;
    if (!walk || (shown !== undefined && walk.entries[walk.index - 1]?.text !== shown)) return undefined;
    this.leave();
    return { ...walk.own, own: true };
  }

  /** Lets `older` begin with the newest text again. */
  leave(): void {
    this.walk = undefined;
  }

  add(sent: Sent): void {
    this.leave();
    this.history.add(sent).catch((thrown) => this.tell(messageOf(thrown)));
  }

  /** The texts that can be recalled in a mode, the newest first, each once. */
  entriesOf(mode: FieldMode): Sent[] {
    const all = this.all().filter((sent) => mode === "message" || sent.mode === mode);
    const once = new Map([...all].reverse().map((sent) => [keyOf(sent), sent]));
    return [...once.values()].map((sent) => this.history.withPictures(sent));
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

/** Returns a function that replaces the values of variables such as `OPENAI_API_KEY` in text by `[redacted]`. */
export function withoutSecrets(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = Object.entries(env)
    .filter(([name, value = ""]) => isSecret(name) && value.length >= SHORTEST_SECRET && !value.startsWith("/"))
    .map(([, value]) => value as string)
    .sort((a, b) => b.length - a.length);
  return (text) => values.reduce((rest, value) => rest.replaceAll(value, "[redacted]"), text);
}
