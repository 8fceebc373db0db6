import { isHighlightable } from "@scorel/kit/markdown/highlighted";
import { memo, useEffect, useMemo, useState } from "react";
import { LongText } from "../display/long-text.tsx";
import { Store, useStore } from "../store.ts";
import { GrowingColours } from "./growing-colours.ts";
import type { Colour, Piece } from "./pieces.ts";

/** Milliseconds after which code that has not grown counts as complete. */
const REST = 300;

const colouring = new Store<Colour | undefined>(undefined);
let isAskedFor = false;

/** Loads the highlighter. If that fails, code stays plain, and the next code tries again. */
function loadColours(): void {
  if (isAskedFor) return;
  isAskedFor = true;
  import("./highlighter.ts").then(
    ({ colour }) => colouring.set(colour),
    () => {
      isAskedFor = false;
    },
  );
}

/** The highlighter, once it is loaded. Loads it when `isWanted` is first true. */
export function useColour(isWanted: boolean): Colour | undefined {
  useEffect(() => {
    if (isWanted) loadColours();
  }, [isWanted]);
  return useStore(colouring);
}

/** Code, highlighted as soon as the highlighter is loaded. */
export function Coloured({ text, language }: { text: string; language: string }) {
  const isWanted = language !== "" && isHighlightable(text);
  const colour = useColour(isWanted);
  return (
    <code>
      {isWanted && colour ? <Growing text={text} language={language} colour={colour} /> : <LongText text={text} />}
    </code>
  );
}

function Growing({ text, language, colour }: { text: string; language: string; colour: Colour }) {
  const growing = useMemo(() => new GrowingColours((code) => colour(code, language)), [colour, language]);
  const { pieces, rest } = growing.of(text, useIsAtRest(text));
  return (
    <>
      <Pieces pieces={pieces} />
      <LongText text={rest} />
    </>
  );
}

/** Memoized, so that it is rendered only when the pieces change. */
const Pieces = memo(function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, kind }, at) =>
    kind === undefined ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity.
      <span key={at} className={`code-${kind}`}>
        {text}
      </span>
    ),
  );
});

/** Whether the text has stopped growing. */
function useIsAtRest(text: string): boolean {
  const [resting, setResting] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), REST);
    return () => clearTimeout(timer);
  }, [text]);
  return resting === text;
}
