import type { Cursor } from "../parts.ts";
import { safeLine, safeText } from "../rows/safe.ts";
import { columnsIn, cut, wrapped } from "../rows/wrap.ts";
import type { PickerPicture, PickerRow } from "./picker-parts.ts";

/** Lines around the list: title, search, two empty ones and the keys. */
const AROUND = 5;
const GAP = "  ";
const SEPARATOR = " · ";
/** Less of a path says nothing. */
const SHORTEST_PLACE = 8;

interface Drawing {
  width: number;
  /** Text beside the list, if there is room for it. */
  preview?: string;
}

/** Draws a picker over the whole height: title, search, list, keys. */
export function drawPicker<Item>(picker: PickerPicture<Item>, drawing: Drawing): { lines: string[]; cursor: Cursor } {
  const { theme, rows } = picker.at;
  const { width } = drawing;
  const height = Math.max(1, rows - AROUND);
  const input = inputLine(picker);
  const title = theme.style("heading", cut(safeLine(picker.options.title()), width));
  const body = bodyLines(picker, drawing, height);
  const said = theme.style("accent", cut(safeLine(picker.said), width));
  const foot = theme.style("faint", cut(footText(picker, width), width));
  const lines = [title, cut(input, width), picker.said === "" ? "" : said, ...body, "", foot];
  return { lines: lines.slice(0, rows), cursor: { row: 1, column: Math.min(width - 1, columnsIn(input)) } };
}

function inputLine<Item>({ at, list, asking }: PickerPicture<Item>): string {
  const { theme, pickerWords: words } = at;
  if (!asking)
    return `${theme.style("accent", `${words.search}:`)} ${safeLine(list.query)}${/\s$/.test(list.query) ? " " : ""}`;
  const label = theme.style("warning", safeLine(asking.label));
  return asking.text === undefined
    ? `${label} ${words.yesNo} `
    : `${label}: ${safeLine(asking.text)}${/\s$/.test(asking.text) ? " " : ""}`;
}

function bodyLines<Item>(picker: PickerPicture<Item>, { width, preview }: Drawing, height: number): string[] {
  const listWidth = preview === undefined ? width : Math.floor(width * 0.45);
  const rows = listLines(picker, listWidth, height);
  if (preview === undefined) return filled(rows, height);
  const room = width - listWidth - 3;
  const text = safeText(preview)
    .split("\n")
    .flatMap((line) => wrapped(line, room))
    .slice(0, height);
  const border = picker.at.theme.style("faint", "│");
  return filled(rows, height).map((row, index) => {
    const pad = " ".repeat(Math.max(0, listWidth - columnsIn(row)));
    return `${row}${pad} ${border} ${text[index] ?? ""}`.trimEnd();
  });
}

function listLines<Item>(picker: PickerPicture<Item>, width: number, height: number): string[] {
  const { at, list, state, options } = picker;
  const { theme, keys, pickerWords: words } = at;
  const said = (role: "muted" | "error", text: string) => wrapped(theme.style(role, safeLine(text)), width);
  if (state.kind === "failed") return said("error", words.failed(state.why, keys.label("choose")));
  if (state.kind === "loading") return said("muted", words.loading);
  if (list.total === 0) return said("muted", options.empty);
  if (list.items.length === 0) return said("muted", words.noMatch(list.query));
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
  const detail = detailText(row, Math.max(1, Math.floor(width / 2)));
  const room = width - mark.length - (detail === "" ? 0 : columnsIn(detail) + GAP.length);
  const label = cut(indent + safeLine(row.label), Math.max(1, room));
  const pad = " ".repeat(Math.max(0, room - columnsIn(label)));
  const shown = isChosen ? theme.style("selected", mark + label) : mark + label;
  return detail === "" ? shown : `${shown}${pad}${GAP}${theme.style("muted", detail)}`;
}

/** The detail in so many columns: of its parts the first are left out, and of a place its beginning. */
function detailText({ detail = "", place = "" }: PickerRow, room: number): string {
  const parts = [detail].flat().map(safeLine);
  while (parts.length > 1 && columnsIn(parts.join(SEPARATOR)) > room) parts.shift();
  const rest = cut(parts.join(SEPARATOR), room);
  const left = room - columnsIn(rest) - (rest === "" ? 0 : SEPARATOR.length);
  const where = place === "" || left < SHORTEST_PLACE ? "" : endOf(safeLine(place), left);
  return [where, rest].filter((part) => part !== "").join(SEPARATOR);
}

/** The end of a text, which says more than its beginning in a path. */
function endOf(text: string, room: number): string {
  if (columnsIn(text) <= room) return text;
  const characters = [...text];
  while (characters.length > 0 && columnsIn(characters.join("")) > room - 1) characters.shift();
  return `…${characters.join("")}`;
}

/** The keys. Those that do not fit are left out, the last of the special ones first. */
function footText<Item>({ at, list, options, state, asking }: PickerPicture<Item>, width: number): string {
  const { keys, pickerWords: words } = at;
  const cancel = keys.label("cancel");
  if (asking) return asking.text === undefined ? words.yesOrNo(cancel) : words.keepText(keys.label("choose"), cancel);
  const more = [...(options.general ?? []), ...(options.more ?? [])]
    .filter(({ action }) => keys.label(action) !== "")
    .map(({ action, hint }) => hint(keys.label(action)))
    .filter((hint) => hint !== "");
  const count = state.kind === "ready" && list.total > 0 ? [words.count(list.items.length, list.total)] : [];
  const text = () => [words.choose(keys.label("choose")), ...more, words.cancel(cancel), ...count].join(" · ");
  while (columnsIn(text()) > width && more.length + count.length > 0) if (count.pop() === undefined) more.pop();
  return text();
}

function filled(lines: readonly string[], height: number): string[] {
  return [...lines.slice(0, height), ...Array.from({ length: Math.max(0, height - lines.length) }, () => "")];
}
