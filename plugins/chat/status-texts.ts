import type { Transients } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type {} from "@scorel/requests/contract";

/**
 * Minimum milliseconds between printed status changes of one plugin. Further ones are shown with the next change or at
 * the end of the turn.
 */
const OFTEN_MS = 1_000;

/** Status texts of plugins, in a conversation of lines. */
export class StatusTexts {
  private readonly texts = new Map<string, string>();
  private readonly shown = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Stores a status and returns the line to print for it, if any. */
  update({ plugin, text: given }: Transients["plugin_status"]): string | undefined {
    const text = given === undefined ? undefined : lineOf(given);
    if (text === undefined) this.texts.delete(plugin);
    if (text === undefined || this.texts.get(plugin) === text) return undefined;
    this.texts.set(plugin, text);
    const now = this.now();
    if (now - (this.shown.get(plugin) ?? Number.NEGATIVE_INFINITY) < OFTEN_MS) return undefined;
    this.shown.set(plugin, now);
    return `· ${plugin}: ${text}`;
  }

  /** Returns all status texts. */
  parts(): string[] {
    return [...this.texts].map(([plugin, text]) => `${plugin}: ${text}`);
  }

  /** Forgets everything when another session is shown. */
  clear(): void {
    this.texts.clear();
    this.shown.clear();
  }
}
