import headless from "@xterm/headless";
import { columnsOf } from "../../../plugins/terminal/screen/width.ts";

/** One cell of the emulated screen. */
export interface Cell {
  text: string;
  bold: boolean;
  inverse: boolean;
  /** The colour of the text and of the background: an index of the palette, `#rrggbb`, or undefined for the default. */
  color: number | string | undefined;
  behind: number | string | undefined;
}

/** A terminal without a window: receives an application's output, and returns what a person would see. */
export interface Emulator extends Disposable {
  readonly columns: number;
  readonly rows: number;
  write(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The lines of the screen, without spaces at their ends. */
  lines(): string[];
  /** The same as one string, without empty lines at the end. */
  text(): string;
  cells(row: number): Cell[];
  cursor(): { row: number; column: number; shown: boolean };
  /** Whether the alternate screen is shown. */
  isAlternate(): boolean;
  /** Receives what the terminal sends to the application, such as responses to queries. */
  onAnswer(listener: (data: string) => void): void;
}

/**
 * `separate`: shows each code point in cells of its own, as wide as any terminal does, like terminals that join none.
 */
type Widths = "modern" | "separate";

export function emulator(columns = 80, rows = 24, widths: Widths = "modern"): Emulator {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  useWidths(terminal, widths);
  let shown = true;
  terminal.parser.registerCsiHandler({ prefix: "?", final: "h" }, (given) => {
    if (given.includes(25)) shown = true;
    return false;
  });
  terminal.parser.registerCsiHandler({ prefix: "?", final: "l" }, (given) => {
    if (given.includes(25)) shown = false;
    return false;
  });
  const buffer = () => terminal.buffer.active;
  const line = (row: number) => buffer().getLine(buffer().viewportY + row);
  const lines = () =>
    Array.from({ length: terminal.rows }, (_, row) => line(row)?.translateToString(true).trimEnd() ?? "");
  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text) => new Promise((done) => terminal.write(text, done)),
    resize: (width, height) => terminal.resize(width, height),
    lines,
    text: () => lines().join("\n").trimEnd(),
    cells: (row) =>
      Array.from({ length: terminal.cols }, (_, column) => {
        const cell = line(row)?.getCell(column);
        return {
          text: cell?.getWidth() === 0 ? "" : cell?.getChars() || " ",
          bold: cell?.isBold() !== 0,
          inverse: cell?.isInverse() !== 0,
          color: colorOf(cell?.getFgColor() ?? 0, cell?.isFgDefault(), cell?.isFgRGB()),
          behind: colorOf(cell?.getBgColor() ?? 0, cell?.isBgDefault(), cell?.isBgRGB()),
        };
      }),
    cursor: () => ({ row: buffer().cursorY, column: buffer().cursorX, shown }),
    isAlternate: () => buffer().type === "alternate",
    onAnswer: (listener) => void terminal.onData(listener),
    [Symbol.dispose]: () => terminal.dispose(),
  };
}

function colorOf(color: number, isDefault = true, isRgb = false): number | string | undefined {
  if (isDefault) return undefined;
  return isRgb ? `#${color.toString(16).padStart(6, "0")}` : color;
}

function widthAlone(character: string): number {
  if (/^[\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}\u4dc0-\u4dff]/u.test(character)) return 2;
  if (/^[\p{Mc}\u1160-\u11ff]/u.test(character)) return 1;
  return columnsOf(character);
}

/** The emulator has the widths of Unicode 6; current terminals show emoji two columns wide. */
function useWidths({ unicode }: InstanceType<typeof headless.Terminal>, widths: Widths): void {
  const widthOf = widths === "modern" ? columnsOf : widthAlone;
  const wcwidth = (code: number) => (code < 0x20 ? 0 : widthOf(String.fromCodePoint(code))) as 0 | 1 | 2;
  const provider = {
    version: "modern",
    wcwidth,
    charProperties(code: number, preceding: number): number {
      const width = wcwidth(code);
      const joins = width === 0 && preceding !== 0;
      return ((joins ? (preceding >> 1) & 3 : width) << 1) | Number(joins);
    },
  };
  unicode.register(provider);
  unicode.activeVersion = "modern";
}
