/** Distinguishes typed from pasted input when the terminal, or a program in between, does not support bracketed paste. */

/** Milliseconds after a paste within which a line end is part of it. The reads of one paste follow each other that closely. */
const AFTER_PASTE_MS = 5;
/**
 * Milliseconds without input after which an unmarked paste counts as complete; more (LONG_PAUSE_MS) for a paste of LONG characters, whose
 * reads a busy program or a slow connection may delay.
 */
const PAUSE_MS = 30;
const LONG_PAUSE_MS = 150;
const LONG = 1_000;
const LINE_END = /^[\r\n]$/;
/** Beginnings of answers and reports of the terminal, which may arrive at any time. */
const REPORTS = ["\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1b[?", "\x1b[<", "\x1b[M"];

/** Runs `work` after `ms` milliseconds, unless the returned function is called first. */
export type Later = (work: () => void, ms: number) => () => void;

/** A timer that lets Node read input that arrived while the program was busy before it calls `work`. */
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

/** Options of `Bursts`. */
export interface BurstsOptions {
  /** Receives typed keys. `isAlone` means that a single key arrived, with nothing else in the same read. */
  onKeys(keys: readonly string[], isAlone: boolean): void;
  /** Receives a complete paste. */
  onPaste(text: string): void;
  /** The current time in milliseconds. Default: performance.now. */
  now?: () => number;
}

/**
 * Finds unmarked pastes among the keys of a terminal. Input with text after a line end in a single read is a paste. A single line that
 * arrives together with its line end is held for a moment: if no text follows, a program has typed it.
 */
export class Bursts {
  private readonly options: BurstsOptions;
  private readonly now: () => number;
  /** The unmarked paste so far, if more of it may arrive. */
  private text = "";
  /** Keys that begin a paste if text follows them. */
  private held: readonly string[] = [];
  private pastedAt = Number.NEGATIVE_INFINITY;
  /** When the last text arrived, or the last line end right after it. */
  private textAt = Number.NEGATIVE_INFINITY;

  constructor(options: BurstsOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  /** Milliseconds without further keys after which the caller must call `settle`; undefined if no input is held. */
  get pause(): number | undefined {
    if (this.text === "" && this.held.length === 0) return undefined;
    return this.text.length < LONG ? PAUSE_MS : LONG_PAUSE_MS;
  }

  /** Takes the keys of one read, each a character or a whole sequence. `isBehindPaste`: a marked paste precedes them in the same read. */
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

  /** Delivers the held input, because nothing follows it. */
  settle(): void {
    this.endPaste();
    const { held } = this;
    this.held = [];
    if (held.length > 0) this.give(held, false);
  }

  /** Tells that a marked paste has arrived. A line end right after it is part of it. */
  pasted(): void {
    this.pastedAt = this.now();
  }

  /** Treats later input as unrelated to earlier input. */
  forget(): void {
    this.pastedAt = Number.NEGATIVE_INFINITY;
    this.textAt = Number.NEGATIVE_INFINITY;
  }

  private endPaste(): void {
    const { text } = this;
    this.text = "";
    if (text !== "") this.options.onPaste(text);
  }

  /** Holds keys until the next read, because the two characters of a line end (CR LF) can arrive in two reads. */
  private hold(keys: readonly string[]): void {
    this.held = keys;
    this.textAt = this.now();
  }

  private give(keys: readonly string[], isAlone: boolean): void {
    if (keys.some(isText)) this.textAt = this.now();
    this.options.onKeys(keys, isAlone);
  }

  /** Adds the text of keys to the paste. Terminal reports are passed on as keys. Other escape sequences were pasted, and are dropped. */
  private add(keys: readonly string[]): void {
    for (const key of keys) if (REPORTS.some((begin) => key.startsWith(begin))) this.options.onKeys([key], false);
    this.text += keys.filter((key) => !key.startsWith("\x1b")).join("");
    this.pasted();
  }

  /** Whether these keys may begin a paste: a line together with its line end, or a line end right after text. */
  private mayBegin(keys: readonly string[]): boolean {
    if (!LINE_END.test(keys.at(-1) ?? "") || keys.some((key) => !isText(key) && !LINE_END.test(key))) return false;
    return keys.some(isText) || this.now() - this.textAt < AFTER_PASTE_MS;
  }
}

/**
 * Whether the keys of one read are a paste: they have text after a line end. A program may have typed a single line with its line end, or
 * line ends alone. Right after a paste, a line end with or without text continues it.
 */
function isPasted(keys: readonly string[], isBehindPaste: boolean): boolean {
  const end = keys.findIndex((key) => LINE_END.test(key));
  return end >= 0 && (isBehindPaste || keys.slice(end + 1).some(isText));
}

/** Whether the keys of a later read continue a paste. Line ends alone do so only right after it; later, the user has pressed Enter. */
function isMoreOfPaste(keys: readonly string[], msAfter: number): boolean {
  return keys.some(isText) || (msAfter < AFTER_PASTE_MS && keys.some((key) => LINE_END.test(key)));
}

function isText(key: string): boolean {
  return !/^[\p{Cc}]/u.test(key);
}
