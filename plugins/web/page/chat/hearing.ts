import type { Live } from "@scorel/host/client";
import { safeLine } from "../display/safe.ts";
import type { Entry, OpenSession, Row } from "../host/session.ts";
import { Store } from "../store.ts";
import { Speech } from "./speech.ts";

export interface Heard {
  key: number;
  text: string;
}

/** The most sentences that are kept in the page. They were spoken when they were added. */
const KEPT = 12;

/** Sentences for a screen reader, from replies that arrive after the session was opened. */
export class Hearing {
  readonly heard = new Store<readonly Heard[]>([]);
  private readonly speeches = new Map<string, Speech>();
  private readonly followed = new Map<string, () => void>();
  private readonly entries: OpenSession["entries"];
  /** `seq` of the last event that was spoken, or was there before. */
  private seq: number;
  private count = 0;

  constructor({ entries }: Pick<OpenSession, "entries">) {
    this.entries = entries;
    this.seq = entries.get().findLast(({ row }) => row)?.row?.seq ?? 0;
  }

  /** Starts to listen. Returns a function that ends this. */
  begin(): () => void {
    const end = this.entries.subscribe(() => this.look());
    this.look();
    return () => {
      end();
      for (const unfollow of this.followed.values()) unfollow();
      this.followed.clear();
    };
  }

  private look(): void {
    const fresh: Entry[] = [];
    for (const entry of this.entries.get().toReversed()) {
      if (entry.row && entry.row.seq <= this.seq) break;
      fresh.unshift(entry);
    }
    for (const { key, row, live } of fresh) {
      if (row) this.takeRow(key, row);
      else if (!this.followed.has(key)) this.follow(key, live);
    }
  }

  private follow(key: string, live: Store<Live>): void {
    const take = () => {
      const now = live.get();
      if (now.kind === "reply") this.tell(this.speechOf(key).take(now.text));
    };
    this.followed.set(key, live.subscribe(take));
    take();
  }

  private takeRow(key: string, { seq, display }: Row): void {
    this.seq = Math.max(this.seq, seq);
    if (display.display === "bubble" && display.role === "assistant")
      this.tell(this.speechOf(key).take(display.text, true));
    this.followed.get(key)?.();
    this.followed.delete(key);
    this.speeches.delete(key);
  }

  private speechOf(key: string): Speech {
    const speech = this.speeches.get(key) ?? new Speech();
    this.speeches.set(key, speech);
    return speech;
  }

  private tell(sentences: readonly string[]): void {
    if (sentences.length === 0) return;
    const added = sentences.map((text) => ({ key: this.count++, text: safeLine(text) }));
    this.heard.set([...this.heard.get(), ...added].slice(-KEPT));
  }
}
