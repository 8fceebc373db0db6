import { isConnected, type SessionView } from "@scorel/host/client";
import type { Words } from "../words/words.ts";
import type { Listener } from "./listener.ts";
import type { Outgoing } from "./own-messages.ts";

interface UnsentParts {
  view(): SessionView | undefined;
  listener: Pick<Listener, "offered">;
  words: Pick<Words, "lost">;
}

/** A message that was entered and that the host has not taken yet. */
interface Entry {
  text: string;
  /** It is on its way, so that nobody can say whether the host has it. */
  isGiven: boolean;
  isRecalled: boolean;
}

/**
 * The messages that the person sends, until the host has taken them. While it is away they wait here, in order, and are given to it once
 * when it is back. Those that are not sent after all come back to the field.
 */
export class Unsent {
  private readonly parts: UnsentParts;
  private entries: Entry[] = [];
  private readonly waiting = new Set<() => void>();

  constructor(parts: UnsentParts) {
    this.parts = parts;
  }

  /** The texts that wait because the host is away. */
  get shown(): readonly string[] {
    const view = this.parts.view();
    return view && !isConnected(view) ? this.entries.map(({ text }) => text) : [];
  }

  add({ text }: Outgoing): Entry {
    const entry = { text, isGiven: false, isRecalled: false };
    this.entries.push(entry);
    return entry;
  }

  /** Calls `send` once the host is there, unless the message was recalled. One that is refused comes back to the field. */
  async deliver(entry: Entry, send: () => Promise<void>): Promise<void> {
    try {
      await this.untilThere(entry);
      if (entry.isRecalled) return;
      entry.isGiven = true;
      await send();
    } catch (thrown) {
      if (entry.isRecalled) return;
      this.parts.listener.offered(entry.text);
      throw thrown;
    } finally {
      this.forget([entry]);
    }
  }

  /** The connection has changed. */
  look(): void {
    for (const wake of [...this.waiting]) wake();
  }

  /**
   * Puts what waits back into the field. What is on its way may arrive all the same, so that comes back only to somebody who leaves.
   * Returns whether there was anything.
   */
  recall(isLeaving = false): boolean {
    if (this.shown.length === 0) return false;
    const recalled = this.entries.filter(({ isGiven }) => isLeaving || !isGiven);
    if (recalled.length === 0) return false;
    for (const entry of recalled) entry.isRecalled = true;
    this.forget(recalled);
    this.look();
    this.parts.listener.offered(recalled.map(({ text }) => text).join("\n\n"));
    return true;
  }

  private forget(entries: readonly Entry[]): void {
    this.entries = this.entries.filter((entry) => !entries.includes(entry));
  }

  private untilThere(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const view = this.parts.view();
        const isOver = view?.status.connection === "closed";
        if (!isOver && !entry.isRecalled && view && !isConnected(view)) return;
        this.waiting.delete(look);
        if (isOver && !entry.isRecalled) reject(view.status.error ?? new Error(this.parts.words.lost));
        else resolve();
      };
      this.waiting.add(look);
      look();
    });
  }
}
