/** Code as coloured lines. */
export interface Coloured {
  lines: string[];
  /** Whether no comment, string or other element of the code is still open at its end. */
  isWhole: boolean;
}

/** The number of new lines after which some of them are kept. */
const LEAST = 40;
/** The factor by which that number grows when lines could not be kept, as within a long comment. */
const MORE = 1.5;

/** The lines that are kept of a code block. */
interface Block {
  kind: string;
  /** The code of the kept lines, each with its line end. */
  text: string;
  lines: string[];
  /** The number of further lines that are needed before some of them are kept. */
  next: number;
}

type Draw = (code: string) => Coloured;

/**
 * Keeps coloured lines of code that is still arriving, so that not all of them are coloured again for each frame. The look of a line may
 * depend on lines before and after it, as in comments and strings of several lines. So lines are kept only up to a place where nothing is
 * open, and if the lines after it look the same when they are coloured alone.
 */
export class GrowingCode {
  private readonly blocks: Block[] = [];

  /** The coloured lines of a code block, drawn with `draw`. `kind` identifies everything else that they depend on, such as the language. */
  lines(code: string, kind: string, draw: Draw): string[] {
    const block = this.blockOf(code, kind);
    if (!block) {
      this.blocks.push({ kind, text: "", lines: [], next: LEAST });
      return draw(code).lines;
    }
    const rest = code.slice(block.text.length);
    const { lines } = draw(rest);
    const drawn = [...block.lines, ...lines];
    keep(block, rest, lines, draw);
    return drawn;
  }

  /** The block whose kept lines this code begins with; of several, the one with the most kept lines. */
  private blockOf(code: string, kind: string): Block | undefined {
    const begun = this.blocks.filter((block) => block.kind === kind && code.startsWith(block.text));
    return begun.sort((a, b) => b.text.length - a.text.length)[0];
  }
}

/** Keeps the first half of the lines after the kept ones, if the second half looks the same without them. */
function keep(block: Block, rest: string, lines: readonly string[], draw: Draw): void {
  const parts = rest.split("\n");
  if (parts.length < block.next) return;
  const half = Math.floor(parts.length / 2);
  const [first, second] = [parts.slice(0, half).join("\n"), parts.slice(half).join("\n")];
  // Drawn with its line end, since a comment may end there.
  const before = draw(`${first}\n`);
  const kept = before.lines.slice(0, -1);
  const isSame = () => [...kept, ...draw(second).lines].join("\n") === lines.join("\n");
  if (before.isWhole && isSame()) {
    block.text += `${first}\n`;
    block.lines.push(...kept);
    block.next = LEAST;
  } else block.next = Math.ceil(parts.length * MORE);
}
