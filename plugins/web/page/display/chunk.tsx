import { type ReactNode, useEffect, useRef, useState } from "react";

/** Pixels from the visible part at which a chunk is drawn. */
const NEAR = "800px 0px";

interface ChunkProps {
  /** How many lines it has, which is how high it is until it was drawn. */
  lines: number;
  /** It is drawn at once. */
  isFirst: boolean;
  children(): ReactNode;
}

/** Some lines of a long text, which are drawn when they come into sight, and then stay, so that a selection holds. */
export function Chunk({ lines, isFirst, children }: ChunkProps) {
  const [isDrawn, setDrawn] = useState(isFirst);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (isDrawn || !current) return;
    // Browsers that know `scrollMargin` also draw a chunk before it is scrolled into sight within a box.
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

/** A list in pieces of this length. */
export function inChunks<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, at) => all.slice(at * length, (at + 1) * length));
}
