import { isHighlightable } from "@scorel/kit/markdown/highlighted";
import { useMemo } from "react";
import { Chunk, inChunks } from "../display/chunk.tsx";
import { LongText } from "../display/long-text.tsx";
import { safeText } from "../display/safe.ts";
import { useColour } from "../markdown/coloured.tsx";
import type { Piece } from "../markdown/pieces.ts";
import { languageOf, linesOf } from "./file-lines.ts";

/** Number of lines that are rendered together. */
const CHUNK = 100;

/** The text of a file with line numbers, highlighted. Only lines near the visible part are rendered. */
export function FileText({ text, path }: { text: string; path: string }) {
  const safe = useMemo(() => safeText(text), [text]);
  const language = languageOf(path);
  const colour = useColour(isHighlightable(safe));
  const chunks = useMemo(() => {
    const coloured = isHighlightable(safe) ? colour?.(safe, language) : undefined;
    return inChunks(linesOf(coloured ?? [{ text: safe }]), CHUNK);
  }, [safe, language, colour]);
  const last = ((chunks.length - 1) * CHUNK + (chunks.at(-1)?.length ?? 0)).toString();
  return (
    <div className="diff-body file-text" style={{ "--digits": last.length } as object}>
      {chunks.map((lines, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the chunks of a text keep their order.
        <Chunk key={at} lines={lines.length} isFirst={at === 0}>
          {() => <Lines lines={lines} first={at * CHUNK + 1} />}
        </Chunk>
      ))}
    </div>
  );
}

function Lines({ lines, first }: { lines: readonly (readonly Piece[])[]; first: number }) {
  return lines.map((pieces, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a text keep their order.
    <div key={at} className="diff-line" data-number={first + at}>
      {pieces.length === 0
        ? "\n"
        : pieces.map(({ text, kind }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity.
            <span key={place} className={kind && `code-${kind}`}>
              <LongText text={text} />
            </span>
          ))}
    </div>
  ));
}
