import { type ReactNode, useEffect, useRef, useState } from "react";

/** Distance in pixels from the visible part at which a chunk is rendered. */
const NEAR = "800px 0px";

interface ChunkProps {
  /** Number of lines. It determines the height until the chunk is rendered. */
  lines: number;
  /** Whether it is rendered at once. */
  isFirst: boolean;
  children(): ReactNode;
}

/** Some lines of a long text. They are rendered when they come into view and then stay, so that a selection is not lost. */
export function Chunk({ lines, isFirst, children }: ChunkProps) {
  const [isDrawn, setDrawn] = useState(isFirst);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (isDrawn || !current) return;
    // With `scrollMargin`, chunks in a scrolling box are rendered before they come into view. Not all browsers support it.
    const options = { rootMargin: NEAR, scrollMargin: NEAR };
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) setDrawn(true);
    }, options);
    observer.observe(current);
    return () => observer.disconnect();
  }, [isDrawn]);
  return (
    <div ref={element} className="chunk" style={isDrawn ? undefined : { height: `${lines * 1.5}em` }}>
      {isDrawn && children()}
    </div>
  );
}

/** Splits a list into pieces of this length. */
export function inChunks<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, at) => all.slice(at * length, (at + 1) * length));
}
