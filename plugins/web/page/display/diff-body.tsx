import { changedWords, type DiffLine, linePairs } from "@scorel/kit/text/diff-lines";
import { memo, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../words/words.ts";
import { Chunk, inChunks } from "./chunk.tsx";
import type { DiffPart } from "./diff-parts.ts";
import { LongText } from "./long-text.tsx";
import { safeText } from "./safe.ts";

/** Number of rows that are rendered together. */
const CHUNK = 100;

interface BodyProps {
  lines: readonly DiffLine[];
  parts: readonly DiffPart[];
  /** Shows the folded lines that begin at this index. */
  unfold(at: number): void;
}

type Side = "old" | "now";

/** The rows of a diff. In the side-by-side view, a selection stays in the side where it began. */
export function DiffBody({ lines, parts, unfold }: BodyProps) {
  const body = useRef<HTMLDivElement>(null);
  const side = useSelectedSide(body);
  const pairs = useMemo(() => linePairs(lines), [lines]);
  const chunks = useMemo(() => inChunks(parts, CHUNK), [parts]);
  const digits = useMemo(() => String(lines.reduce((most, line) => Math.max(most, numberOf(line)), 1)).length, [lines]);
  return (
    <div
      ref={body}
      className={side === undefined ? "diff-body" : `diff-body only-${side}`}
      style={{ "--digits": digits } as object}
    >
      {chunks.map((chunk, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: chunks have no other identity.
        <Chunk key={at} lines={chunk.length} isFirst={at === 0}>
          {() => <Rows lines={lines} parts={chunk} pairs={pairs} unfold={unfold} />}
        </Chunk>
      ))}
    </div>
  );
}

/** The side in which the page's selection begins, if it begins in this diff. */
function useSelectedSide(body: RefObject<Element | null>): Side | undefined {
  const [side, setSide] = useState<Side>();
  useEffect(() => {
    const look = () => {
      const anchor = document.getSelection()?.anchorNode;
      const element = anchor instanceof Element ? anchor : anchor?.parentElement;
      const isInside = element && body.current?.contains(element);
      setSide(isInside ? (element.closest<HTMLElement>("[data-side]")?.dataset.side as Side | undefined) : undefined);
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [body]);
  return side;
}

function numberOf({ now, old }: DiffLine): number {
  return now ?? old ?? 0;
}

interface RowsProps extends BodyProps {
  pairs: ReadonlyMap<number, number>;
}

const Rows = memo(function Rows({ lines, parts, pairs, unfold }: RowsProps) {
  const words = useWords();
  const line = (at: number | undefined, side?: Side) => (
    <Line line={lines[at ?? -1]} other={lines[pairs.get(at ?? -1) ?? -1]} side={side} />
  );
  return parts.map((part, place) => {
    // The rows of a chunk keep their order.
    const key = place;
    switch (part.kind) {
      case "line":
        return <div key={key}>{line(part.at)}</div>;
      case "pair":
        return (
          <div key={key} className="diff-pair">
            {line(part.old, "old")}
            {line(part.now, "now")}
          </div>
        );
      case "gap":
        return (
          <div key={key} className="diff-gap">
            ⋯ {words.unchangedLines(part.count)}
          </div>
        );
      case "fold":
        return (
          <button key={key} type="button" className="diff-gap link" onClick={() => unfold(part.at)}>
            ⋯ {words.showUnchanged(part.count)}
          </button>
        );
      default:
        return (
          <div key={key} className="diff-gap">
            <LongText text={safeText(lines[part.at]?.text ?? "")} />
          </div>
        );
    }
  });
});

interface LineProps {
  line: DiffLine | undefined;
  /** The other version of the line, if there is one. */
  other: DiffLine | undefined;
  side: Side | undefined;
}

/** A line with its number and sign. These are not part of its text, so they are not copied. */
function Line({ line, other, side }: LineProps) {
  if (!line) return <div className="diff-line none" data-side={side} />;
  const number = side === "old" ? line.old : (line.now ?? line.old);
  const about = { className: "diff-line", "data-side": side, "data-number": `${number ?? ""}` };
  const text = <Marked line={line} other={other} />;
  if (line.sign === "+") return <ins {...about}>{text}</ins>;
  if (line.sign === "-") return <del {...about}>{text}</del>;
  return <div {...about}>{text}</div>;
}

/** The text of a line. Words that differ from the other version are marked. */
function Marked({ line: { sign, text }, other }: { line: DiffLine; other: DiffLine | undefined }) {
  const isNew = sign === "+";
  const [before, after] = other ? changedWords(isNew ? other.text : text, isNew ? text : other.text) : [];
  const range = isNew ? after : before;
  if (!range) return <LongText text={safeText(text) || "\n"} />;
  return (
    <>
      <LongText text={safeText(text.slice(0, range.from))} />
      <mark>
        <LongText text={safeText(text.slice(range.from, range.to))} />
      </mark>
      <LongText text={safeText(text.slice(range.to))} />
    </>
  );
}
