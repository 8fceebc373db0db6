/** QR codes for terminals. */

/** The module is loaded by the first code that is shown. */
const encoder = () => import("uqr");

/** Light modules around a code, without which readers do not find it. */
const BORDER = 2;
/** Black on white, whatever the colours of the terminal are: readers expect that. */
const COLOURS = "\u001B[38;5;16;48;5;231m";
const RESET = "\u001B[0m";
/** By whether the upper and the lower module are dark. */
const HALVES = [" ", "▄", "▀", "█"] as const;

/** A code as lines of a terminal with so many columns, two rows of modules in each; undefined if it does not fit. */
export async function qrLines(text: string, columns: number): Promise<string[] | undefined> {
  const { encode } = await encoder();
  const { data, size } = encode(text, { ecc: "L", border: BORDER });
  if (size > columns) return undefined;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const halves = Array.from({ length: size }, (_, at) => {
      const [upper, lower] = [data[row]?.[at], data[row + 1]?.[at]];
      return HALVES[(upper ? 2 : 0) + (lower ? 1 : 0)];
    });
    lines.push(`${COLOURS}${halves.join("")}${RESET}`);
  }
  return lines;
}
