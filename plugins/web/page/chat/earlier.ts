import { type RefObject, useEffect, useMemo } from "react";
import type { OpenSession } from "../host/session.ts";
import { Store, useStore } from "../store.ts";

/** Distance from the beginning in pixels at which earlier messages are fetched. */
const NEAR_BEGIN = 400;

/** Milliseconds between a failed attempt and the next one: at first, and at most. It doubles with each failure. */
const PAUSE = { first: 1_000, longest: 60_000 };

/** The state of fetching earlier messages, which is shown above the first message. */
interface Fetching {
  isLoading: boolean;
  /** Why the last attempt failed. */
  problem?: string;
}

const RESTING: Fetching = { isLoading: false };

/** Fetches earlier messages. After a failure, it waits before it tries again, and longer after each further one. */
export class Earlier {
  readonly state = new Store<Fetching>(RESTING);
  private readonly session: Pick<OpenSession, "hasEarlier" | "earlier">;
  private readonly isNear: () => boolean;
  private pause = PAUSE.first;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `isNear`: whether the reader is near the beginning. */
  constructor(session: Pick<OpenSession, "hasEarlier" | "earlier">, isNear: () => boolean) {
    this.session = session;
    this.isNear = isNear;
  }

  /** Fetches once if the reader is near the beginning, unless it is fetching or a pause is running. */
  readonly look = (): void => {
    if (this.state.get().isLoading || this.timer !== undefined || !this.session.hasEarlier || !this.isNear()) return;
    this.state.set({ isLoading: true });
    this.session.earlier().then(
      () => {
        this.pause = PAUSE.first;
        this.state.set(RESTING);
      },
      (thrown) => {
        this.wait();
        this.state.set({ isLoading: false, problem: (thrown as Error).message });
      },
    );
  };

  /** Ends a pause without another attempt, as when the reader is at the end again. The next `look` tries again. */
  readonly rest = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
  };

  private wait(): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.look();
    }, this.pause);
    this.pause = Math.min(this.pause * 2, PAUSE.longest);
  }
}

/** Fetches earlier messages while the reader is near the beginning, even if nothing can be scrolled. */
export function useEarlier(session: OpenSession, scroller: RefObject<HTMLElement | null>, isAway: boolean): Fetching {
  const earlier = useMemo(
    () => new Earlier(session, () => (scroller.current?.scrollTop ?? Infinity) < NEAR_BEGIN),
    [session, scroller],
  );
  const fetching = useStore(earlier.state);
  const { isLoading } = fetching;
  useEffect(() => {
    const { current } = scroller;
    if (!current || !isAway || isLoading) return;
    // Delayed by a frame: the list first has to restore its position after the messages that were inserted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(earlier.look);
    });
    current.addEventListener("scroll", earlier.look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      current.removeEventListener("scroll", earlier.look);
    };
  }, [earlier, scroller, isAway, isLoading]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at the end of the conversation, no pause is needed.
  useEffect(() => earlier.rest, [earlier, isAway]);
  return fetching;
}
