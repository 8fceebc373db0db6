import { isSecret } from "@scorel/kit/text/secret-free";
import { messageOf } from "@scorel/kit/values/coded-error";
import type { FieldMode } from "../parts.ts";
import type { History, Sent } from "./history.ts";

/** Shorter values of the environment may be ordinary words. */
const SHORTEST_SECRET = 8;

/** A text from the history, or the one that was being written before. */
export interface Recalled {
  text: string;
  own: boolean;
}

/**
 * The way through the history by the arrow keys. It shows what was sent in the mode that the person is in, so that a line is a command
 * or a line for the shell only where they have typed `/` or `!` themselves.
 */
export class HistoryWalk {
  private readonly history: History;
  private readonly tell: (problem: string) => void;
  private walk: { texts: string[]; index: number; own: string } | undefined;

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
  older(mode: FieldMode, own: string): Recalled | undefined {
    const walk = this.walk ?? { texts: this.textsOf(mode), index: 0, own };
    const text = walk.texts[walk.index];
    if (text === undefined) return undefined;
    this.walk = { ...walk, index: walk.index + 1 };
    return { text, own: false };
  }

  newer(): Recalled | undefined {
    const { walk } = this;
    if (!walk) return undefined;
    const index = walk.index - 1;
    this.walk = index === 0 ? undefined : { ...walk, index };
    return index === 0 ? { text: walk.own, own: true } : { text: walk.texts[index - 1] ?? "", own: false };
  }

  /** Begins with the newest text again. */
  leave(): void {
    this.walk = undefined;
  }

  add(sent: Sent): void {
    this.leave();
    this.history.add(sent).catch((thrown) => this.tell(messageOf(thrown)));
  }

  /** The texts of a mode, the newest first, each once. */
  textsOf(mode: FieldMode): string[] {
    try {
      const texts = this.history.all().filter((sent) => sent.mode === mode);
      return [...new Set(texts.map(({ text }) => text).reverse())];
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
