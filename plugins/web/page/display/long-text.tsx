import { memo } from "react";
import { piecesOf } from "./pieces.ts";

/** Most characters of a text that is rendered as one element. */
const LONG = 1_000;

/**
 * A text of any length, in pieces that browsers lay out quickly. The pieces leave no trace in copied text. To be used for every text of
 * others that may be long.
 */
export const LongText = memo(function LongText({ text }: { text: string }) {
  if (text.length <= LONG) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text keep their order.
  return piecesOf(text).map((piece, at) => <span key={at}>{piece}</span>);
});
