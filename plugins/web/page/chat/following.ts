import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pixels from the end within which the reader counts as being there. */
const NEAR_END = 60;
/** How long after a wheel, key or finger a movement counts as the reader's. Everything else that moves the text is its own growth. */
const OWN_MS = 1_000;
const OWN_ACTS = ["wheel", "touchmove", "pointerdown", "keydown"];

/** Keeps the end of a text in sight while it grows, until the reader moves away from it. */
export interface Following {
  /** The reader has moved away from the end. */
  isAway: boolean;
  /** To be called with each movement. */
  moved(): void;
  /** Goes to the end, and stays there. */
  toEnd(): void;
  /** Stays where it is, as after a movement of the reader. */
  leave(): void;
}

/** `content` is what has changed: another one may have moved the end. */
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
    if (current.scrollHeight - current.scrollTop - current.clientHeight < NEAR_END) follow(true);
    else if (isUp && performance.now() - actedAt.current < OWN_MS) follow(false);
  };
  const leave = () => {
    const { current } = scroller;
    // All of a short text is at its end.
    if (current && current.scrollHeight - current.clientHeight >= NEAR_END) follow(false);
  };
  const toEnd = () => {
    follow(true);
    stay();
  };
  return { isAway, moved, toEnd, leave };
}

/** When the reader has last moved something with a hand. */
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

/** Calls `grown` after the element or its last part got another size, once for each frame. */
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
