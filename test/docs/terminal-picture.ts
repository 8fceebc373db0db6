import type { Cell, Emulator } from "../plugins/terminal/emulator.ts";

const CELL = { width: 8.4, height: 19 };
const MARGIN = 14;
const PAGE = "#10161f";
const TEXT = "#d6deeb";

/** The first 16 colours of a palette, as terminals commonly show them. */
const BASIC = [
  ...["#1c2430", "#ff8b7b", "#7fdb8a", "#e6c07b", "#82aaff", "#c792ea", "#7fdbca", "#d6deeb"],
  ...["#637083", "#ff8b7b", "#7fdb8a", "#ffe08a", "#82aaff", "#c792ea", "#7fdbca", "#ffffff"],
];
const STEPS = [0, 95, 135, 175, 215, 255];

/**
 * Durations, which differ in each run. After `┃`, a number and a letter are the number and the key of an answer, such
 * as `2 s`.
 */
const TIMES = /(?<=[^\s┃] {2})\d+(?:\.\d+)? ?(?:ms|s)(?=\s|$)/g;
/** Columns before a duration. */
const GAP = 2;

/** Texts that differ in each run, such as the path of a folder, with the texts to show in their place. */
export type Names = Readonly<Record<string, string>>;

/** A picture of a terminal's screen, cell by cell. It has its own background, so that it is readable on any page. */
export function terminalPicture(screen: Emulator, title: string, names: Names = {}): string {
  const lines = screen.lines();
  const width = 2 * MARGIN + Math.ceil(screen.columns * CELL.width);
  const height = 2 * MARGIN + lines.length * CELL.height;
  const rows = lines
    .map((line, row) => rowOf(repeatable(screen.cells(row), line, names), row))
    .filter((row) => row !== "");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: ${TEXT}; white-space: pre } .b { font-weight: bold }</style>`,
    `<rect width="${width}" height="${height}" rx="10" fill="${PAGE}"/>`,
    ...rows,
    "</svg>",
    "",
  ].join("\n");
}

/**
 * The cells of a line, made the same in each run. A replaced text is padded, so that the cells after it do not move.
 * Durations are left out, and what follows one moves to its place, since short durations are not shown at all.
 */
function repeatable(cells: readonly Cell[], line: string, names: Names): readonly Cell[] {
  const replaced = new Map<number, string>();
  const replace = (from: number, length: number, by: string) => {
    for (let at = 0; at < length; at++) replaced.set(from + at, by[at] ?? " ");
  };
  for (const [name, by] of Object.entries(names)) if (line.includes(name)) replace(line.indexOf(name), name.length, by);
  const shown = cells.map((cell, at) => ({ ...cell, text: replaced.get(at) ?? cell.text }));
  for (const { index, 0: time } of [...line.matchAll(TIMES)].reverse()) shown.splice(index - GAP, time.length + GAP);
  return shown;
}

/** A run of cells that look the same. */
interface Run {
  column: number;
  columns: number;
  text: string;
  look: Cell;
}

function rowOf(cells: readonly Cell[], row: number): string {
  const runs = runsOf(cells);
  const y = MARGIN + row * CELL.height;
  const behind = runs.flatMap(({ column, columns, look }) => {
    const color = look.inverse
      ? colorOf(look.color, TEXT)
      : look.behind === undefined
        ? undefined
        : colorOf(look.behind, PAGE);
    if (color === undefined) return [];
    return [`<rect x="${xOf(column)}" y="${y}" width="${wide(columns)}" height="${CELL.height}" fill="${color}"/>`];
  });
  const texts = runs.flatMap(({ column, columns, text, look }) => {
    if (text.trim() === "") return [];
    const color = look.inverse ? PAGE : colorOf(look.color, TEXT);
    const style = `${look.bold ? ' class="b"' : ""}${color === TEXT ? "" : ` fill="${color}" style="fill:${color}"`}`;
    return [
      `<text x="${xOf(column)}" y="${y + 14}" textLength="${wide(columns)}"${isSign(text) ? ' lengthAdjust="spacingAndGlyphs"' : ""}${style}>${escaped(text)}</text>`,
    ];
  });
  return [...behind, ...texts].join("\n");
}

/** Splits cells into runs that begin at a word, so that the space between words takes no room in the file. */
function runsOf(cells: readonly Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of cells.entries()) {
    const last = runs.at(-1);
    const isSame =
      last &&
      last.column + last.columns === column &&
      alike(last.look, cell) &&
      isSign(last.text) === isSign(cell.text);
    if (isSame && !(cell.text === " " && last.text.endsWith(" ") && isBare(cell))) {
      last.text += cell.text;
      last.columns++;
    } else if (cell.text !== " " || !isBare(cell)) runs.push({ column, columns: 1, text: cell.text, look: cell });
  }
  return runs.map(trimmed);
}

/**
 * Whether the text has characters outside of ASCII, which many fonts lack. A character from another font has another
 * width, and would squeeze the words after it.
 */
function isSign(text: string): boolean {
  return /[^ -~]/.test(text);
}

/** A run without spaces at its end that show nothing. */
function trimmed(run: Run): Run {
  if (!isBare(run.look)) return run;
  const text = run.text.trimEnd();
  return { ...run, text, columns: run.columns - (run.text.length - text.length) };
}

function isBare({ inverse, behind }: Cell): boolean {
  return !inverse && behind === undefined;
}

function alike(a: Cell, b: Cell): boolean {
  return a.bold === b.bold && a.inverse === b.inverse && a.color === b.color && a.behind === b.behind;
}

function colorOf(color: number | string | undefined, standard: string): string {
  if (color === undefined) return standard;
  if (typeof color === "string") return color;
  if (color < 16) return BASIC[color] as string;
  if (color >= 232) return hex([0, 0, 0].map(() => 8 + (color - 232) * 10));
  const at = color - 16;
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => STEPS[step] as number));
}

function hex(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function xOf(column: number): string {
  return wide(column + MARGIN / CELL.width);
}

function wide(columns: number): string {
  return String(Math.round(columns * CELL.width * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
