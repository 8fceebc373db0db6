import { randomUUID } from "node:crypto";
import { isConnected, type SessionView } from "@scorel/host/client";
import type { EventOf } from "@scorel/kernel";
import type { Doubtful } from "../input/draft-content.ts";
import { type Entered as EnteredText, enteredIn, joined, marked } from "../input/line-mode.ts";
import type { Submission } from "../parts.ts";
import type { Words } from "../words/words.ts";
import type { Listener } from "./listener.ts";

interface UnsentParts {
  view(): SessionView | undefined;
  listener: Pick<Listener, "offered" | "unsent" | "waits">;
  words: Pick<Words, "lost">;
}

/** Milliseconds after which an entry that the host has not taken is shown. Nearly all are taken sooner, and would only flicker. */
const SLOW_MS = 200;

type Entered = Pick<Submission, "text" | "mode" | "silent"> & Partial<Pick<Submission, "attachments">>;

/** The entries that the host has not taken yet, as texts to show. */
export interface Waiting {
  isAway: boolean;
  texts: readonly string[];
}

/** A message, a command or a shell line that was entered and that the host has not taken yet. */
interface Entry extends Entered {
  /** Identifies a message for the host, and later in the log. */
  readonly messageId: string;
  /** Whether it was passed to the client: until the host answers, it is unknown whether the host has it. */
  isGiven: boolean;
  /** Whether the host has not taken it for `SLOW_MS`, so that it is shown. */
  isSlow: boolean;
  isRecalled: boolean;
}

/**
 * Entries of the user until the host has taken them. While the host is away they wait here, and are sent in order, once, when it is back.
 * Entries that are not sent after all go back to the field.
 */
export class Unsent {
  private readonly parts: UnsentParts;
  private entries: readonly Entry[] = [];
  private readonly waiting = new Set<() => void>();
  /** The entries in the draft on the disk. Changes only when the draft is written. */
  private written: readonly Entry[] = [];
  /** Entries that went back to the field when the user left, though the host may have got them. */
  private recalled: readonly Entry[] = [];

  constructor(parts: UnsentParts) {
    this.parts = parts;
  }

  /** The texts, with their marks, that the host has not taken because it is away or does not answer. */
  get shown(): Waiting {
    const { isAway, unsure } = this;
    const view = this.parts.view();
    const shown = isAway ? unsure : unsure.filter((each) => each.isSlow && !hasArrived(view, each.messageId));
    return { isAway, texts: shown.map(marked) };
  }

  /** The texts that the next terminal has to restore if this process is killed. Each change is reported by `listener.unsent`. */
  get kept(): readonly Pick<EnteredText, "text" | "attachments">[] {
    return this.written.map((entry) => ({ text: marked(entry), attachments: entry.attachments ?? [] }));
  }

  /** The messages in the draft that may have arrived: the next terminal leaves out those that have. */
  get doubtful(): readonly Doubtful[] {
    const given = [...this.recalled, ...this.written].filter(({ isGiven }) => isGiven);
    return given.map(({ messageId, text, attachments = [] }) => ({ messageId, text, attachments }));
  }

  add({ text, mode, silent = false, attachments = [] }: Entered): Entry {
    const state = { isGiven: false, isSlow: false, isRecalled: false };
    const entry = { messageId: randomUUID(), text, mode, silent, attachments, ...state };
    this.entries = [...this.entries, entry];
    this.keep();
    setTimeout(() => this.slow(entry), SLOW_MS).unref();
    return entry;
  }

  /** Calls `send` once the host is connected, unless the entry was recalled. A message that is refused goes back to the field. */
  async deliver(entry: Entry, send: () => Promise<void>): Promise<void> {
    try {
      await this.untilConnected(entry);
      if (entry.isRecalled) return;
      entry.isGiven = true;
      this.keep();
      await send();
    } catch (thrown) {
      if (entry.isRecalled) return;
      this.forget([entry]);
      // A command or shell line may have been run; it can be recalled from the history.
      if (entry.mode === "message" || !entry.isGiven) this.parts.listener.offered(enteredIn(entry));
      throw thrown;
    } finally {
      this.forget([entry]);
      if (entry.isSlow) this.parts.listener.waits();
    }
  }

  private slow(entry: Entry): void {
    if (!this.entries.includes(entry)) return;
    entry.isSlow = true;
    this.keep();
    this.parts.listener.waits();
  }

  /** Called when the connection to the host may have changed. */
  connectionChanged(): void {
    for (const wake of [...this.waiting]) wake();
    this.keep();
  }

  /**
   * Puts waiting entries back into the field. Those on their way may arrive all the same, so they go back only if the user is leaving.
   * Returns false if there were none.
   */
  recall(isLeaving = false): boolean {
    if (!this.isAway && !isLeaving) return false;
    return this.giveBack(this.unsure.filter(({ isGiven }) => isLeaving || !isGiven));
  }

  /** Puts the entries that wait for an earlier one, such as a running command, back into the field. Returns false if there were none. */
  recallNext(): boolean {
    return this.giveBack(this.entries.filter(({ isGiven }) => !isGiven));
  }

  private giveBack(recalled: readonly Entry[]): boolean {
    const [only] = recalled;
    if (!only) return false;
    for (const entry of recalled) entry.isRecalled = true;
    this.recalled = recalled;
    this.forget(recalled);
    this.connectionChanged();
    const { listener } = this.parts;
    if (recalled.length === 1) listener.offered(enteredIn(only));
    else listener.offered(joined(recalled));
    return true;
  }

  private get isAway(): boolean {
    const view = this.parts.view();
    return view !== undefined && !isConnected(view);
  }

  /** The entries that the host may not have. Messages on their way are sent again when it is back; commands and shell lines are not. */
  private get unsure(): readonly Entry[] {
    return this.entries.filter(({ mode, isGiven }) => mode === "message" || !isGiven);
  }

  private forget(entries: readonly Entry[]): void {
    const without = (all: readonly Entry[]) => all.filter((entry) => !entries.includes(entry));
    this.entries = without(this.entries);
    this.write(without(this.written));
  }

  /** Has waiting entries written to the draft. Entries that are sent at once, as nearly all are, are never written. */
  private keep(): void {
    const isKept = ({ isGiven, isSlow }: Entry) => this.isAway || isSlow || !isGiven;
    setImmediate(() => this.write(this.unsure.filter(isKept)));
  }

  private write(entries: readonly Entry[]): void {
    const isSame = entries.length === this.written.length && entries.every((entry, at) => entry === this.written[at]);
    if (isSame) return;
    this.written = entries;
    this.parts.listener.unsent();
  }

  private untilConnected(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const view = this.parts.view();
        const isOver = view?.status.connection === "closed";
        if (!isOver && !entry.isRecalled && view && !isConnected(view)) return;
        this.waiting.delete(check);
        if (isOver && !entry.isRecalled) reject(view.status.error ?? new Error(this.parts.words.lost));
        else resolve();
      };
      this.waiting.add(check);
      check();
    });
  }
}

/** Whether the message with this id is in the session or its queue, as far as the session is loaded. */
export function hasArrived(view: SessionView | undefined, messageId: string): boolean {
  const { rows = [], queue = [] } = view ?? {};
  return (
    queue.some((item) => item.messageId === messageId) ||
    rows.some(({ event }) => (event as Partial<EventOf<"message">>).message?.meta?.messageId === messageId)
  );
}
