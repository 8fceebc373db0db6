import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Distance from the end in pixels within which the reader counts as being at the end. */
const NEAR_END = 60;
/** Distance in pixels that counts as the end itself, since sizes are rounded. */
const AT_END = 2;
/**
 * Milliseconds after a wheel, key or touch event within which scrolling counts as the reader's. Any other scrolling is caused by growing
 * text.
 */
const OWN_MS = 1_000;
const OWN_ACTS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** Keeps the end of the text in view while it grows, until the reader scrolls away. */
export interface Following {
  /** Whether the reader has scrolled away from the end. */
  isAway: boolean;
  /** To be called for each scroll event. */
  moved(): void;
  /** Scrolls to the end, and stays there. */
  toEnd(): void;
  /** Stays at the current position, as if the reader had scrolled away. */
  leave(): void;
}

/** `content` is compared by identity: a change of it may have moved the end. */
export function useFollowing(scroller: RefObject<HTMLElement | null>, content: unknown): Following {
  const follows = useRef(true);
  const top = useRef(0);
  const actedAt = useOwnActs(scroller);
  const [isAway, setAway] = useState(false);

  const stay = useCallback(() => {
    const { current } = scroller;
    if (current && follows.current) current.scrollTop = current.scrollHeight;
  }, [scroller]);
  const follow = useCallback((isFollowed: boolean) => {
    follows.current = isFollowed;
    setAway(!isFollowed);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other content may have moved the end.
  useLayoutEffect(stay, [content]);
  useGrowth(scroller, stay);

  const moved = () => {
    const { current } = scroller;
    if (!current) return;
    const isUp = current.scrollTop < top.current;
    top.current = current.scrollTop;
    const below = current.scrollHeight - current.scrollTop - current.clientHeight;
    // Text that became shorter also moves the view up, but to the end.
    const isLeaving = isUp && below > AT_END && performance.now() - actedAt.current < OWN_MS;
    if (isLeaving || below < NEAR_END) follow(!isLeaving);
  };
  const leave = () => {
    const { current } = scroller;
    // Text that fits into the view is always at its end.
    if (current && current.scrollHeight - current.clientHeight >= NEAR_END) follow(false);
  };
  const toEnd = useCallback(() => {
    follow(true);
    stay();
  }, [follow, stay]);
  return { isAway, moved, toEnd, leave };
}

/** When the reader last used a wheel, key, pointer or finger. */
function useOwnActs(scroller: RefObject<HTMLElement | null>): RefObject<number> {
  const actedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const { current } = scroller;
    const act = () => {
      actedAt.current = performance.now();
    };
    for (const type of OWN_ACTS) current?.addEventListener(type, act, { passive: true });
    return () => {
      for (const type of OWN_ACTS) current?.removeEventListener(type, act);
    };
  }, [scroller]);
  return actedAt;
}

/** Calls `grown` after the element or its last child has changed its size, at most once per frame. */
function useGrowth(scroller: RefObject<HTMLElement | null>, grown: () => void): void {
  useEffect(() => {
    const { current } = scroller;
    const last = current?.lastElementChild;
    if (!current || !last) return;
    let frame = 0;
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(grown);
    });
    observer.observe(last);
    observer.observe(current);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
    };
  }, [scroller, grown]);
}
