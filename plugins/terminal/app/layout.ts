import type { Component, Cursor } from "../parts.ts";
import type { Frame } from "../screen/painter.ts";
import type { Around, DrawnQuestion } from "./question-lines.ts";

/** The parts of the screen, from the top. */
export interface Layout {
  columns: number;
  rows: number;
  /** Draws the conversation in `height` lines. */
  conversation(height: number): readonly string[];
  /** The parts between the conversation and the question, the most important last. */
  above: readonly (readonly string[])[];
  /** Draws the open question; undefined when there is none. `Around` explains the limits in `room`. */
  question(room: Pick<Around, "height" | "whole" | "reading" | "most">): DrawnQuestion | undefined;
  /** The lines above the field. */
  notice: readonly string[];
  field: Pick<Component, "render"> & { readonly cursor?: Cursor | undefined };
  /** The last lines. */
  foot: readonly string[];
}

/** Lines that are kept for the conversation, as far as there is room. */
const LEAST = 3;
/** Lines of the field that are kept beside a question, as far as there is room: one of text between two rules. */
const LEAST_FIELD = 3;
/** A line above the field, and two empty ones. */
const AROUND = 3;

/**
 * Puts the parts of the screen together. In a small window, parts above the field make room for it, and everything makes room for an
 * open question: nobody can answer what they do not see.
 */
export function arranged({ columns, rows, conversation, above, question, notice, field, foot }: Layout): Frame {
  const fieldLines = field.render(columns);
  const most = Math.max(1, rows - foot.length - 1);
  const reading = Math.min(most, rows - foot.length - Math.min(LEAST_FIELD, fieldLines.length));
  const whole = Math.min(most, reading - AROUND);
  const asked = question({ height: whole - LEAST, whole, reading, most })?.lines ?? [];
  const room = Math.max(1, rows - foot.length - asked.length);
  const { cursor } = field;
  const { shownField, cutOff } = cutField(fieldLines, room, cursor);
  let left = Math.max(0, room - shownField.length - LEAST);
  const kept: string[][] = [];
  const taken = (part: readonly string[]) => {
    const shown = part.slice(0, left);
    left -= shown.length;
    return shown;
  };
  const lines = taken(["", ...notice]);
  const gap = asked.length > 0 ? taken([""]) : [];
  for (const part of [...above].reverse()) kept.unshift(taken(part));
  const middle = [...kept.flat(), ...gap, ...asked, ...lines];
  const height = Math.max(0, rows - foot.length - shownField.length - middle.length);
  const top = conversation(height);
  const blank = Array.from({ length: Math.max(0, height - top.length) }, () => "");
  const row = cursor ? height + middle.length + cursor.row - cutOff : -1;
  return {
    lines: [...top, ...blank, ...middle, ...shownField, ...foot].slice(0, rows),
    cursor: cursor && row >= 0 && row < rows ? { row, column: cursor.column } : undefined,
    moving: height,
  };
}

/** Cuts the field to `room` lines: its last ones, or those from the cursor on. */
function cutField(lines: readonly string[], room: number, cursor: Cursor | undefined) {
  const most = Math.max(0, lines.length - room);
  const cutOff = cursor ? Math.min(most, cursor.row) : most;
  return { shownField: lines.slice(cutOff, cutOff + room), cutOff };
}
