import type { TurnOrderService, TurnPlace } from "@scorel/agent/contract";

interface Place extends TurnPlace {
  readonly sessionId: string;
  begin(): void;
}

/** Limits the number of turns that run at a time. Further turns wait and begin in the order of their requests. */
export class TurnOrder implements TurnOrderService {
  private readonly limit: number;
  private readonly isResting: (sessionId: string) => boolean;
  private readonly running = new Set<Place>();
  private readonly waiting = new Set<Place>();

  /** A `limit` of 0 means no limit. Turns of resting sessions, such as those that wait for a person, do not count. */
  constructor(limit: number, isResting: (sessionId: string) => boolean) {
    this.limit = limit;
    this.isResting = isResting;
  }

  /** Requests a place for a turn. A session has at most one turn, so it cannot get ahead of others by requesting more places. */
  enter(sessionId: string): TurnPlace {
    let begin = () => {};
    const isFree = this.waiting.size === 0 && this.hasRoom;
    const begins = isFree
      ? undefined
      : new Promise<void>((resolve) => {
          begin = resolve;
        });
    const place: Place = { sessionId, ahead: this.waiting.size, begins, begin, leave: () => this.leave(place) };
    (isFree ? this.running : this.waiting).add(place);
    return place;
  }

  /** Begins as many waiting turns as the limit allows now. */
  look(): void {
    for (const place of this.waiting) {
      if (!this.hasRoom) return;
      this.waiting.delete(place);
      this.running.add(place);
      place.begin();
    }
  }

  private get hasRoom(): boolean {
    if (this.limit === 0 || this.running.size < this.limit) return true;
    return [...this.running].filter(({ sessionId }) => !this.isResting(sessionId)).length < this.limit;
  }

  private leave(place: Place): void {
    this.waiting.delete(place);
    if (this.running.delete(place)) this.look();
  }
}
