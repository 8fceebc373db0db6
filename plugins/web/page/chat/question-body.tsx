import type { DisplayAction } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Display } from "../display/display.tsx";
import { WholeContext } from "../display/room.ts";
import { useWords } from "../words/words.ts";
import { counted, lastLines } from "./counted.ts";

/** Number of areas from which the end is so far away that it is shown below, too. */
const FAR = 2;

interface BodyProps {
  parts: readonly DisplayAction[];
  /** Whether the end has been visible, so that nobody has to be told to scroll to it. */
  isEndSeen?: boolean;
}

/**
 * Everything that a question is about. If it is longer than its area, its length is shown above, since the end matters as much as the
 * beginning.
 */
export function QuestionBody({ parts, isEndSeen = false }: BodyProps) {
  const words = useWords();
  const place = useRef<HTMLElement>(null);
  const areas = useAreas(place);
  const goesOn = areas > 1;
  return (
    <>
      {goesOn && (
        <p className="question-length" role="note">
          {words.longAs(...lengthOf(parts))}
          {!isEndSeen && words.endIsBelow}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section ref={place} className="question-body" tabIndex={0} aria-label={words.askedAbout}>
        <div>
          <WholeContext value={true}>
            {parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a question do not change.
              <div key={at} className={isCommand(part) ? "question-command" : undefined}>
                <Display display={part.display === "notice" ? { ...part, text: counted(part.text, words) } : part} />
              </div>
            ))}
          </WholeContext>
          <div className="question-end" />
        </div>
      </section>
      {areas > FAR && !isEndSeen && (
        <section className="question-tail" aria-label={words.endsWith}>
          <span className="muted">{words.endsWith}</span>
          <pre className="plain">{lastLines(parts, words)}</pre>
        </section>
      )}
    </>
  );
}

/** Whether a part is a command, which is shown as it would be typed. */
function isCommand(part: DisplayAction): boolean {
  return part.display === "notice" && part.text.startsWith("$ ");
}

/** Number of lines and characters of a question's content. */
export function lengthOf(parts: readonly DisplayAction[]): [lines: number, characters: number] {
  const text = parts.map((part) => displayText(part).trimEnd()).join("\n");
  return [text.split("\n").length, text.length];
}

/** How many times the area of an element its content takes. 1 if it fits. */
function useAreas(place: RefObject<HTMLElement | null>): number {
  const [areas, setAreas] = useState(1);
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    const observer = new ResizeObserver(() => {
      const { scrollHeight, clientHeight } = current;
      setAreas(scrollHeight > clientHeight + 1 ? scrollHeight / clientHeight : 1);
    });
    observer.observe(current);
    if (current.firstElementChild) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, [place]);
  return areas;
}
