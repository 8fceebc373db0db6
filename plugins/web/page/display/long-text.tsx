import { memo } from "react";
import { piecesOf } from "./pieces.ts";

/** Most characters of text that is rendered as one element. */
const LONG = 1_000;

/**
 * Text of any length, in pieces that browsers lay out quickly. The pieces leave no trace in copied text. Use it for all text of models,
 * tools, files and clients, which may be long.
 */
export const LongText = memo(function LongText({ text }: { text: string }) {
  if (text.length <= LONG) return text;
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text keep their order.
  return piecesOf(text).map((piece, at) => <span key={at}>{piece}</span>);
});
