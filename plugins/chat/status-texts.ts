import type { Transients } from "@scorel/kernel";
import { attributed } from "@scorel/kit/text/attributed";
import { lineOf } from "@scorel/kit/text/one-line";
import type {} from "@scorel/requests/contract";

/**
 * Minimum milliseconds between printed status changes of one plugin. Further ones are shown with the next change or at
 * the end of the turn.
 */
const OFTEN_MS = 1_000;

/** Status texts of plugins, in a conversation of lines. */
export class StatusTexts {
  /** By plugin, as they are shown. */
  private readonly texts = new Map<string, string>();
  private readonly shown = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Stores a status and returns the line to print for it, if any. */
  update({ text: given, ...by }: Transients["plugin_status"]): string | undefined {
    const { plugin } = by;
    const text = given === undefined ? undefined : attributed({ ...by, text: lineOf(given) });
    if (text === undefined) this.texts.delete(plugin);
    if (text === undefined || this.texts.get(plugin) === text) return undefined;
    this.texts.set(plugin, text);
    const now = this.now();
    if (now - (this.shown.get(plugin) ?? Number.NEGATIVE_INFINITY) < OFTEN_MS) return undefined;
    this.shown.set(plugin, now);
    return `· ${text}`;
  }

  /** Returns all status texts. */
  parts(): string[] {
    return [...this.texts.values()];
  }

  /** Forgets everything when another session is shown. */
  clear(): void {
    this.texts.clear();
    this.shown.clear();
  }
}
