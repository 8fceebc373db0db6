/** QR codes for terminals. */

/** The module is loaded only when a code is shown. */
const encoder = () => import("uqr");

/** Width of the light border around a code, in modules. Readers need it to find the code. */
const BORDER = 2;
/** Black on white, whatever the terminal's colours are, because readers expect it. */
const COLOURS = "\u001B[38;5;16;48;5;231m";
const RESET = "\u001B[0m";
/** Index: bit 1 is set if the upper module is dark, bit 0 if the lower one is. */
const HALVES = [" ", "▄", "▀", "█"] as const;

/** Draws a code as lines for a terminal of this width, two rows of modules per line. Undefined if it does not fit. */
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
