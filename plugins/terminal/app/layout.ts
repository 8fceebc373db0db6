import type { Component, Cursor } from "../parts.ts";
import type { Frame } from "../screen/painter.ts";

/** What stands on the screen, from the top. */
export interface Layout {
  columns: number;
  rows: number;
  /** Draws the conversation in so many lines. */
  conversation(height: number): readonly string[];
  /** What stands between the conversation and the field, the most important last. */
  above: readonly (readonly string[])[];
  field: Pick<Component, "render"> & { readonly cursor?: Cursor | undefined };
  /** The last lines. */
  foot: readonly string[];
}

/** Lines that stay for the conversation, as far as there is room. */
const LEAST = 3;

/** Puts the parts of the screen together. In a small window, parts above the field make room for it. */
export function arranged({ columns, rows, conversation, above, field, foot }: Layout): Frame {
  const fieldLines = field.render(columns);
  const room = Math.max(1, rows - foot.length);
  const shownField = fieldLines.slice(Math.max(0, fieldLines.length - room));
  const cutOff = fieldLines.length - shownField.length;
  let left = Math.max(0, rows - foot.length - shownField.length - LEAST);
  const kept: string[][] = [];
  for (const part of [...above].reverse()) {
    const shown = part.slice(0, left);
    kept.unshift(shown);
    left -= shown.length;
  }
  const middle = kept.flat();
  const height = Math.max(0, rows - foot.length - shownField.length - middle.length);
  const top = conversation(height);
  const blank = Array.from({ length: Math.max(0, height - top.length) }, () => "");
  const { cursor } = field;
  const row = cursor ? height + middle.length + cursor.row - cutOff : -1;
  return {
    lines: [...top, ...blank, ...middle, ...shownField, ...foot].slice(0, rows),
    cursor: cursor && row >= 0 && row < rows ? { row, column: cursor.column } : undefined,
    moving: height,
  };
}
