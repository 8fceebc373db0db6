/** Code as coloured lines. */
export interface Coloured {
  lines: string[];
  /** No comment, text or other part of the code is still open at its end. */
  isWhole: boolean;
}

/** Finished lines are kept once there are so many that are not. */
const LEAST = 40;
/** The same after lines that could not be kept, as those of a long comment: so many times as many. */
const MORE = 1.5;

/** A block of code as far as its lines are kept. */
interface Block {
  kind: string;
  /** The code of the lines that are kept, each with its line end. */
  text: string;
  lines: string[];
  /** How many further lines there have to be before some of them are kept. */
  next: number;
}

type Draw = (code: string) => Coloured;

/**
 * Keeps the lines of code that arrives, so that not all of them are coloured again for each picture. What a line looks like may
 * depend on those before it and behind it, as in comments and texts of several lines. So lines are kept only where nothing is open,
 * and where those that follow look the same when they are coloured alone.
 */
export class GrowingCode {
  private readonly blocks: Block[] = [];

  /** The lines of a block of code. One that is drawn for the first time is drawn whole. `kind` names what else its look depends on. */
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

  /** The block that has begun like this code, with the most lines kept. */
  private blockOf(code: string, kind: string): Block | undefined {
    const begun = this.blocks.filter((block) => block.kind === kind && code.startsWith(block.text));
    return begun.sort((a, b) => b.text.length - a.text.length)[0];
  }
}

/** Keeps the first half of the lines behind those that are kept already, if the second half looks the same without them. */
function keep(block: Block, rest: string, lines: readonly string[], draw: Draw): void {
  const parts = rest.split("\n");
  if (parts.length < block.next) return;
  const half = Math.floor(parts.length / 2);
  const [first, second] = [parts.slice(0, half).join("\n"), parts.slice(half).join("\n")];
  // With its line end, at which a comment may end.
  const before = draw(`${first}\n`);
  const kept = before.lines.slice(0, -1);
  const isSame = () => [...kept, ...draw(second).lines].join("\n") === lines.join("\n");
  if (before.isWhole && isSame()) {
    block.text += `${first}\n`;
    block.lines.push(...kept);
    block.next = LEAST;
  } else block.next = Math.ceil(parts.length * MORE);
}
