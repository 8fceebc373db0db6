/** Tells what is typed from what is pasted into a terminal, or a program in between, that does not mark pastes. */

/** Milliseconds after a paste in which a line end belongs to it: reads of one paste follow each other so closely. */
const AFTER_PASTE_MS = 5;
/**
 * Milliseconds after which a paste without marks is given whole. Long ones come in many reads, between which a busy program or a
 * connection makes pauses.
 */
const PAUSE_MS = 30;
const LONG_PAUSE_MS = 150;
const LONG = 1_000;
const LINE_END = /^[\r\n]$/;
/** Answers and reports of the terminal, which may come at any time. */
const REPORTS = ["\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1b[?", "\x1b[<", "\x1b[M"];

/** Runs `work` after some time, unless the returned function is called first. */
export type Later = (work: () => void, ms: number) => () => void;

/** What has arrived while the program was busy is read before the time is over. */
export const laterByTimer: Later = (work, ms) => {
  let soon: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    soon = setImmediate(work);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(soon);
  };
};

export interface BurstsOptions {
  /** Gets keys that were typed. `isAlone` is for a single one with which nothing else came. */
  onKeys(keys: readonly string[], isAlone: boolean): void;
  /** Gets a whole paste. */
  onPaste(text: string): void;
  /** Milliseconds of a clock. */
  now?: () => number;
}

/**
 * Finds pastes without marks among the keys of a terminal. Text behind a line end in what was read at once is a paste. A line that
 * comes at once with its end is held for a moment: it is typed, as programs do it, if no more text follows.
 */
export class Bursts {
  private readonly options: BurstsOptions;
  private readonly now: () => number;
  /** A paste without marks, of which more may come. */
  private text = "";
  /** Keys that are the beginning of such a paste if text follows. */
  private held: readonly string[] = [];
  private pastedAt = Number.NEGATIVE_INFINITY;
  /** When the last text came, or the last line end right behind it. */
  private textAt = Number.NEGATIVE_INFINITY;

  constructor(options: BurstsOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  /** Milliseconds without more keys after which `settle` has to be called; undefined if nothing waits for it. */
  get pause(): number | undefined {
    if (this.text === "" && this.held.length === 0) return undefined;
    return this.text.length < LONG ? PAUSE_MS : LONG_PAUSE_MS;
  }

  /** Takes the keys of one read, each a character or a whole sequence. `isBehindPaste` when a marked paste came before them in it. */
  take(keys: readonly string[], isBehindPaste = false): void {
    if (keys.length === 0) return;
    const msAfter = this.now() - this.pastedAt;
    if (this.text !== "" && isMoreOfPaste(keys, msAfter)) this.add(keys);
    else this.begin(keys, isBehindPaste || msAfter < AFTER_PASTE_MS, isBehindPaste);
  }

  private begin(keys: readonly string[], isMore: boolean, isBehindPaste: boolean): void {
    this.endPaste();
    const all = [...this.held, ...keys];
    this.held = [];
    if (isPasted(all, isMore)) this.add(all);
    else if (this.mayBegin(all)) this.hold(all);
    else this.give(all, all.length === 1 && !isBehindPaste);
  }

  /** Gives what waits for more: none comes. */
  settle(): void {
    this.endPaste();
    const { held } = this;
    this.held = [];
    if (held.length > 0) this.give(held, false);
  }

  /** A marked paste has come: a line end right behind it belongs to it. */
  pasted(): void {
    this.pastedAt = this.now();
  }

  /** What comes next has nothing to do with what came before. */
  forget(): void {
    this.pastedAt = Number.NEGATIVE_INFINITY;
    this.textAt = Number.NEGATIVE_INFINITY;
  }

  private endPaste(): void {
    const { text } = this;
    this.text = "";
    if (text !== "") this.options.onPaste(text);
  }

  /** The two characters of one line end can come in two reads, so what is right behind these is looked at with them. */
  private hold(keys: readonly string[]): void {
    this.held = keys;
    this.textAt = this.now();
  }

  private give(keys: readonly string[], isAlone: boolean): void {
    if (keys.some(isText)) this.textAt = this.now();
    this.options.onKeys(keys, isAlone);
  }

  /** Adds the text of keys to the paste. Reports go on as they are; other sequences belong to what was pasted, and mean nothing. */
  private add(keys: readonly string[]): void {
    for (const key of keys) if (REPORTS.some((begin) => key.startsWith(begin))) this.options.onKeys([key], false);
    this.text += keys.filter((key) => !key.startsWith("\x1b")).join("");
    this.pasted();
  }

  /** Whether a paste may begin with these: a line and its end that came at once, or a line end right behind text. */
  private mayBegin(keys: readonly string[]): boolean {
    if (!LINE_END.test(keys.at(-1) ?? "") || keys.some((key) => !isText(key) && !LINE_END.test(key))) return false;
    return keys.some(isText) || this.now() - this.textAt < AFTER_PASTE_MS;
  }
}

/**
 * Whether keys that came in one read are a paste: text stands behind a line end. One line with its end may have been typed by a
 * program, and so may line ends alone. Right behind a paste, a line end with or without text is more of it.
 */
function isPasted(keys: readonly string[], isBehindPaste: boolean): boolean {
  const end = keys.findIndex((key) => LINE_END.test(key));
  return end >= 0 && (isBehindPaste || keys.slice(end + 1).some(isText));
}

/** Whether keys of a later read go on with a paste. Line ends alone do only right behind it: later, somebody presses Enter. */
function isMoreOfPaste(keys: readonly string[], msAfter: number): boolean {
  return keys.some(isText) || (msAfter < AFTER_PASTE_MS && keys.some((key) => LINE_END.test(key)));
}

function isText(key: string): boolean {
  return !/^[\p{Cc}]/u.test(key);
}
