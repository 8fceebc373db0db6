import { memo } from "react";
import { piecesOf } from "./pieces.ts";

/** Characters of a text that is shown in one piece. */
const LONG = 1_000;

/**
 * All of a text, of any length, in pieces that browsers lay out quickly. What is copied from it has no marks of the pieces. Every text
 * of others that may be long is shown by it.
 */
export const LongText = memo(function LongText({ text }: { text: string }) {
  if (text.length <= LONG) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text keep their order.
  return piecesOf(text).map((piece, at) => <span key={at}>{piece}</span>);
});
