import type { Cursor } from "../parts.ts";
import { safeLine } from "../rows/safe.ts";
import { columnsIn, cut, wrapped } from "../rows/wrap.ts";
import { type Glyph, glyphsOf } from "../screen/width.ts";
import type { PickerPicture, PickerPlace, PickerRow } from "./picker-parts.ts";
import type { Preview } from "./preview.ts";

/** Lines around the list: title, search, two empty ones and the keys. */
const AROUND = 5;
const GAP = "  ";
const SEPARATOR = " · ";
/** The fewest columns in which a part of a path is shown. */
const SHORTEST_PLACE = 8;
/** In a window with fewer columns than these, a long label takes two thirds of them. */
const NARROW = 60;
/** The fewest columns for a preview beside the list. */
const WIDE = 100;
/** The fewest rows for a preview below the list. */
const HIGH = 12;
/** The share of the window for a list with a preview beside or below it, and the fewest lines of the list. */
const SHARE = { beside: 0.45, below: 0.4, lines: 3 };

interface Drawing {
  width: number;
  /** The preview of the chosen item. */
  preview?: Preview;
}

export interface DrawnPicker {
  lines: string[];
  cursor: Cursor;
  /** How many items are shown at the same time. */
  page: number;
}

/** The place with enough room for a preview; undefined if there is none. */
export function previewPlace({ rows }: PickerPlace, width: number): "beside" | "below" | undefined {
  return width >= WIDE ? "beside" : rows - AROUND >= HIGH ? "below" : undefined;
}

/** Draws a picker over the whole height: title, search, list, keys. */
export function drawPicker<Item>(picker: PickerPicture<Item>, drawing: Drawing): DrawnPicker {
  const { theme, rows } = picker.at;
  const { width } = drawing;
  const height = Math.max(1, rows - AROUND);
  const input = inputLine(picker, width);
  const title = theme.style("heading", cut(safeLine(picker.options.title()), width));
  const { body, page } = bodyOf(picker, drawing, height);
  const said = theme.style("accent", cut(safeLine(picker.said), width));
  const foot = theme.style("muted", cut(footText(picker, width), width));
  const lines = [title, cut(input, width), picker.said === "" ? "" : said, ...body, "", foot];
  const cursor = { row: 1, column: Math.min(width - 1, columnsIn(input)) };
  return { lines: lines.slice(0, rows), cursor, page };
}

/** The line of the search or of a question. Of a long text its end is shown, which is where it is edited. */
function inputLine<Item>({ at, list, asking }: PickerPicture<Item>, width: number): string {
  const { theme, pickerWords: words } = at;
  const label = asking && theme.style("warning", safeLine(asking.label));
  if (asking && asking.text === undefined) return `${label} ${words.yesNo} `;
  const before = label === undefined ? `${theme.style("accent", `${words.search}:`)} ` : `${label}: `;
  const typed = asking?.text ?? list.query;
  const text = `${safeLine(typed)}${/\s$/.test(typed) ? " " : ""}`;
  return before + endOf(text, width - 1 - columnsIn(before));
}

function bodyOf<Item>(picker: PickerPicture<Item>, { width, preview }: Drawing, height: number) {
  const place = preview && previewPlace(picker.at, width);
  if (place === "beside") return { body: beside(picker, width, height, preview as Preview), page: height };
  const most = place === undefined ? height : Math.max(SHARE.lines, Math.floor(height * SHARE.below));
  // Sized by all items, so that the preview does not move when the search hides some.
  const page = Math.min(most, Math.max(SHARE.lines, picker.list.total));
  const list = filled(listLines(picker, width, most), place === undefined ? height : page);
  if (place === undefined) return { body: list, page: height };
  const { theme } = picker.at;
  const about = (preview as Preview).lines({ width, height: height - page - 1 }, theme);
  return { body: filled([...list, theme.style("faint", "─".repeat(width)), ...about], height), page };
}

function beside<Item>(picker: PickerPicture<Item>, width: number, height: number, preview: Preview): string[] {
  const { theme } = picker.at;
  const listWidth = Math.floor(width * SHARE.beside);
  const about = preview.lines({ width: width - listWidth - 3, height }, theme);
  const border = theme.style("faint", "│");
  return filled(listLines(picker, listWidth, height), height).map((row, index) => {
    const pad = " ".repeat(Math.max(0, listWidth - columnsIn(row)));
    return `${row}${pad} ${border} ${about[index] ?? ""}`.trimEnd();
  });
}

function listLines<Item>(picker: PickerPicture<Item>, width: number, height: number): string[] {
  const { at, list, state, options, isFindingMore } = picker;
  const { theme, keys, pickerWords: words } = at;
  const said = (role: "muted" | "error", text: string) => wrapped(theme.style(role, safeLine(text)), width);
  if (state.kind === "failed") return said("error", words.failed(state.why, keys.label("choose")));
  if (state.kind === "loading") return said("muted", words.loading);
  if (list.total === 0) return said("muted", typeof options.empty === "string" ? options.empty : options.empty());
  if (list.items.length === 0) return said("muted", isFindingMore ? words.findingMore : words.noMatch(list.query));
  const first = Math.max(0, Math.min(list.chosenIndex - (height >> 1), list.items.length - height));
  return list.items
    .slice(first, first + height)
    .map((item, index) => rowLine(picker, options.row(item), first + index === list.chosenIndex, width));
}

function rowLine<Item>({ at }: PickerPicture<Item>, row: PickerRow, isChosen: boolean, width: number): string {
  const { theme } = at;
  const mark = isChosen ? "› " : row.isCurrent ? "• " : "  ";
  // A row of a tree is indented.
  const indent = /^ */.exec(row.label)?.[0] ?? "";
  const whole = indent + safeLine(row.label);
  const detail = detailText(row, detailRoom(whole, width));
  const room = width - mark.length - (detail === "" ? 0 : columnsIn(detail) + GAP.length);
  const label = cut(whole, Math.max(1, room));
  const pad = " ".repeat(Math.max(0, room - columnsIn(label)));
  const shown = isChosen ? theme.style("selected", mark + label) : mark + label;
  return detail === "" ? shown : `${shown}${pad}${GAP}${theme.style("muted", detail)}`;
}

/** The columns for the detail: half of the width, but in a narrow window a third if the label needs more. */
function detailRoom(label: string, width: number): number {
  const half = Math.floor(width / 2);
  if (width >= NARROW) return half;
  return Math.max(1, Math.floor(width / 3), Math.min(half, width - 2 * GAP.length - columnsIn(label)));
}

/** The detail in `room` columns: its first parts, and the beginning of a path, are left out if they do not fit. */
function detailText({ detail = "", place = "" }: PickerRow, room: number): string {
  const parts = [detail].flat().map(safeLine);
  const where = safeLine(place);
  const shortest = Math.min(SHORTEST_PLACE, columnsIn(where));
  const leftBeside = (rest: string) => room - columnsIn(rest) - (rest === "" ? 0 : SEPARATOR.length);
  while (parts.length > 1 && columnsIn(parts.join(SEPARATOR)) > room) parts.shift();
  // The folder is kept rather than the number of messages, since it tells two sessions with the same title apart.
  if (parts.length > 1 && where !== "" && leftBeside(parts.join(SEPARATOR)) < shortest) parts.shift();
  const rest = cut(parts.join(SEPARATOR), room);
  const left = leftBeside(rest);
  const seen = where === "" || left < shortest ? "" : endOf(where, left);
  return [seen, rest].filter((part) => part !== "").join(SEPARATOR);
}

/** The end of a text: of a path it says more than the beginning. */
function endOf(text: string, room: number): string {
  if (columnsIn(text) <= room) return text;
  const glyphs = [...glyphsOf(text)];
  let end = "";
  for (let left = room - 1, at = glyphs.length - 1; at >= 0; at--) {
    const glyph = glyphs[at] as Glyph;
    left -= glyph.width;
    if (left < 0) break;
    end = glyph.text + end;
  }
  return `…${end}`;
}

/** The line with the keys. Keys that do not fit are left out, beginning with the last of the picker's own ones. */
function footText<Item>({ at, list, options, state, asking }: PickerPicture<Item>, width: number): string {
  const { keys, pickerWords: words } = at;
  const cancel = keys.label("cancel");
  if (asking) return asking.text === undefined ? words.yesOrNo(cancel) : words.keepText(keys.label("choose"), cancel);
  const more = [...(options.general ?? []), ...(options.more ?? [])]
    .filter(({ action }) => keys.label(action) !== "")
    .map(({ action, hint }) => hint(keys.label(action)))
    .filter((hint) => hint !== "");
  const isListed = state.kind === "ready" && list.items.length > 0;
  const count = isListed ? [`${list.chosenIndex + 1}/${list.items.length}`] : [];
  const text = () => [words.choose(keys.label("choose")), ...more, words.cancel(cancel), ...count].join(" · ");
  while (columnsIn(text()) > width && more.length + count.length > 0) if (count.pop() === undefined) more.pop();
  return text();
}

function filled(lines: readonly string[], height: number): string[] {
  return [...lines.slice(0, height), ...Array.from({ length: Math.max(0, height - lines.length) }, () => "")];
}
