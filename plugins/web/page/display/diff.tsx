import { diffSize, readDiff } from "@scorel/kit/text/diff-lines";
import { useContext, useMemo, useRef, useState } from "react";
import { useStore } from "../store.ts";
import { useWords } from "../words/words.ts";
import { DiffBody } from "./diff-body.tsx";
import { partsOf } from "./diff-parts.ts";
import { LongText } from "./long-text.tsx";
import { splitWanted, useRoomForTwo, WholeContext, wantSplit } from "./room.ts";
import { safeLine } from "./safe.ts";

/** Number of rows that are shown before the person asks for all. */
const SHOWN = 40;

/** A unified diff of one file. In questions, all of it is shown at once. */
export function Diff({ path, text }: { path: string; text: string }) {
  const words = useWords();
  const isQuestion = useContext(WholeContext);
  const [isOpened, setOpened] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const figure = useRef<HTMLElement>(null);
  const hasRoom = useRoomForTwo(figure);
  const isWanted = useStore(splitWanted);
  const lines = useMemo(() => readDiff(text), [text]);
  const { added, removed } = useMemo(() => diffSize(lines), [lines]);
  // With only additions or only removals, one side would stay empty.
  const isSplit = hasRoom && isWanted && added > 0 && removed > 0;
  const parts = useMemo(
    () => partsOf(lines, { isSplit, open: isQuestion ? "all" : open }),
    [lines, isSplit, isQuestion, open],
  );
  const isWhole = isQuestion || isOpened || parts.length <= SHOWN;
  return (
    <figure ref={figure} className={isSplit ? "diff split" : "diff"}>
      <figcaption>
        <span className="diff-path">
          <LongText text={safeLine(path)} />
        </span>
        <span className="diff-size">
          <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
        </span>
        {hasRoom && added > 0 && removed > 0 && (
          <button type="button" className="link" aria-pressed={isSplit} onClick={() => wantSplit(!isWanted)}>
            {words.sideBySide}
          </button>
        )}
      </figcaption>
      <DiffBody
        lines={lines}
        parts={isWhole ? parts : parts.slice(0, SHOWN)}
        unfold={(at) => setOpen(new Set([...open, at]))}
      />
      {!isQuestion && parts.length > SHOWN && (
        <button type="button" className="link" onClick={() => setOpened(!isOpened)}>
          {isOpened ? words.showLess : `${words.showMore} (${parts.length})`}
        </button>
      )}
    </figure>
  );
}
