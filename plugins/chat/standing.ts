import type { Transients } from "@scorel/kernel";
import type {} from "@scorel/requests/contract";

/** One plugin's changes that come faster than this are shown with the next one, or with the end of the turn. */
const OFTEN_MS = 1_000;

/** What plugins have standing to say, in a conversation of lines. */
export class Standing {
  private readonly texts = new Map<string, string>();
  private readonly shown = new Map<string, number>();
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** The line that a change is worth, if any. */
  hear({ plugin, text }: Transients["plugin_status"]): string | undefined {
    if (text === undefined) this.texts.delete(plugin);
    if (text === undefined || this.texts.get(plugin) === text) return undefined;
    this.texts.set(plugin, text);
    const now = this.now();
    if (now - (this.shown.get(plugin) ?? Number.NEGATIVE_INFINITY) < OFTEN_MS) return undefined;
    this.shown.set(plugin, now);
    return `· ${plugin}: ${text}`;
  }

  /** All of it. */
  parts(): string[] {
    return [...this.texts].map(([plugin, text]) => `${plugin}: ${text}`);
  }

  /** Another session begins. */
  clear(): void {
    this.texts.clear();
    this.shown.clear();
  }
}
