import { type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { useRead, WHOLE } from "./answer-keys.ts";

/** The element at the end of everything that a question is about. */
const END = ".question-end";
/**
 * Lets a positive answer pass only after the end of the question has been visible. An earlier answer scrolls to the end, and has to be
 * repeated after the end was visible for a moment.
 */
export function useEndSeen(place: RefObject<HTMLElement | null>): {
  /** Whether the end has been visible. */
  isSeen: boolean;
  isAskedAgain: boolean;
  isOff: boolean;
  passes(): boolean;
} {
  const [stage, setStage] = useState<"unseen" | "again" | "seen">("unseen");
  const [isReread, setReread] = useState(false);
  const isEndThere = useRead(place, END);
  useEffect(() => {
    const end = place.current?.querySelector(END);
    if (!end) return;
    const observer = new IntersectionObserver(
      (seen) => {
        const isWhole = seen.some(({ intersectionRatio }) => intersectionRatio >= WHOLE);
        if (isWhole) setStage((now) => (now === "unseen" ? "seen" : now));
      },
      { threshold: WHOLE },
    );
    observer.observe(end);
    return () => observer.disconnect();
  }, [place]);
  useEffect(() => {
    if (stage === "again" && isEndThere) setReread(true);
  }, [stage, isEndThere]);
  const isOff = stage === "again" && !isReread;
  // Again whenever something has moved the end, such as the request to read it, until it was visible.
  useLayoutEffect(() => {
    const end = place.current?.querySelector(END);
    if (!isOff || !end) return;
    const observer = new ResizeObserver(() => end.scrollIntoView({ block: "nearest" }));
    for (let part = end.parentElement; part && part !== place.current; part = part.parentElement)
      observer.observe(part);
    return () => observer.disconnect();
  }, [place, isOff]);
  const isSeen = stage === "seen" || isReread;
  const passes = () => {
    if (isSeen) return true;
    place.current?.querySelector(END)?.scrollIntoView({ block: "nearest" });
    setStage("again");
    return false;
  };
  return { isSeen, isAskedAgain: stage === "again", isOff, passes };
}
