import { memo, useEffect, useMemo, useState } from "react";
import { LongText } from "../display/long-text.tsx";
import { Store, useStore } from "../store.ts";
import { GrowingColours } from "./growing-colours.ts";
import type { Colour, Piece } from "./pieces.ts";

/** Code longer than this is shown without colours, which would take long to find, and so is code with a longer line than that. */
const MAX_COLOURED = 20_000;
const MAX_COLOURED_LINE = 1_000;
/** Milliseconds after which code that has not grown counts as complete. */
const REST = 300;

const colouring = new Store<Colour | undefined>(undefined);
let isAskedFor = false;

/** Colours are an extra: code stays as it is when they cannot be loaded, and they are asked for again by the next code. */
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

/** Whether the colours of a code are found in a short time. */
export function isColourable(text: string): boolean {
  return text.length <= MAX_COLOURED && !text.split("\n").some((line) => line.length > MAX_COLOURED_LINE);
}

/** Finds colours, once that is loaded. It is loaded when it is first wanted. */
export function useColour(isWanted: boolean): Colour | undefined {
  useEffect(() => {
    if (isWanted) loadColours();
  }, [isWanted]);
  return useStore(colouring);
}

/** Code in the colours of its language, once these are loaded. */
export function Coloured({ text, language }: { text: string; language: string }) {
  const isWanted = language !== "" && isColourable(text);
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

/** Drawn again only when something is coloured anew. */
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

/** Whether a text has stopped growing. */
function useIsAtRest(text: string): boolean {
  const [resting, setResting] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setResting(text), REST);
    return () => clearTimeout(timer);
  }, [text]);
  return resting === text;
}
