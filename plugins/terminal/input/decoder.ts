import { StringDecoder } from "node:string_decoder";
import { Bursts, type Later, laterByTimer } from "@scorel/kit/terminal/bursts";

export type { Later };

const ESC = "\x1b";
const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Milliseconds after which an escape character that stands alone is the key Esc, and not the beginning of a sequence. */
const ESCAPE_MS = 30;
/** The same for a sequence of more than two characters: the terminal has sent it, and its rest is late. */
const SEQUENCE_MS = 1_000;
/** The same for the rest of a paste, whose end may have been lost. */
const PASTE_MS = 1_000;
/** Ctrl-C, which ends a paste whose end was lost. */
const ENDING = ["\x03", "\x1b[99;5u"];
/** The most characters of an unfinished sequence: a terminal's answers to queries are shorter. */
const LONGEST = 4096;

export interface DecoderOptions {
  /**
   * Called with each key as the terminal sent it, one at a time, and with each paste whole, between its marks. `isAlone` when nothing
   * else came with the key. Several lines that come at once count as a paste, too, which is passed on once no more of it comes.
   */
  onInput(data: string, isAlone: boolean): void;
  later?: Later;
  /** The time in milliseconds, for tests. */
  now?: () => number;
}

/** Splits the input from a terminal into keys and pastes. */
export interface Decoder {
  /** Takes the next bytes. A character or a sequence may be cut anywhere. */
  write(bytes: Uint8Array): void;
  /** Passes on unfinished input as it is, and drops an unfinished paste. */
  end(): void;
}

/** Creates a decoder, which passes on what it has split. See `DecoderOptions`. */
export function createDecoder(options: DecoderOptions): Decoder {
  return new InputDecoder(options);
}

class InputDecoder implements Decoder {
  private readonly onInput: DecoderOptions["onInput"];
  private readonly later: Later;
  private readonly characters = new StringDecoder("utf8");
  private readonly bursts: Bursts;
  /** The beginning of a sequence whose rest has not come. */
  private waiting = "";
  /** The parts of a paste whose end has not come. */
  private paste: string[] | undefined;
  /** Whether the last paste ended without its mark: input that follows at once may be the rest of it, rather than typed keys. */
  private isCut = false;
  private stopTimer = () => {};

  constructor({ onInput, later = laterByTimer, now = () => performance.now() }: DecoderOptions) {
    this.onInput = onInput;
    this.later = later;
    this.bursts = new Bursts({
      onKeys: (keys, isAlone) => {
        for (const key of keys) this.give(key, isAlone);
      },
      onPaste: (text) => this.onPaste(text),
      now,
    });
  }

  write(bytes: Uint8Array): void {
    this.stopTimer();
    const text = this.waiting + this.characters.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.waiting = "";
    if (this.paste && ENDING.includes(text)) {
      this.endPaste();
      return;
    }
    this.isCut &&= text.length > 2;
    if (this.isCut && !text.startsWith(ESC)) this.paste ??= [];
    this.read(text);
    this.wait();
  }

  end(): void {
    this.stopTimer();
    this.paste = undefined;
    this.bursts.settle();
    this.bursts.forget();
    this.flush();
  }

  /** Splits text into keys and pastes. */
  private read(text: string): void {
    const { bursts } = this;
    let rest: string | undefined = text;
    let keys: string[] = [];
    let isBehindPaste = false;
    while (rest !== undefined && rest !== "") {
      if (this.paste) {
        rest = this.inPaste(rest, this.paste);
        isBehindPaste = true;
        continue;
      }
      const length = lengthOfKey(rest);
      if (length === undefined) {
        this.waiting = rest;
        break;
      }
      const key = rest.slice(0, length);
      rest = rest.slice(length);
      if (key === PASTE_BEGIN) {
        bursts.take(keys, isBehindPaste);
        bursts.settle();
        keys = [];
        this.paste = [];
      } else if (key !== PASTE_END) keys.push(key);
    }
    bursts.take(keys, isBehindPaste);
  }

  /** Collects a paste. Returns the input after its end; undefined while its end has not come. */
  private inPaste(text: string, parts: string[]): string | undefined {
    // The end mark may be split between two parts, so the last part is searched again.
    const before = parts.pop() ?? "";
    const joined = before + text;
    const end = joined.indexOf(PASTE_END);
    if (end < 0) {
      const kept = Math.max(0, joined.length - PASTE_END.length);
      parts.push(joined.slice(0, kept), joined.slice(kept));
      return undefined;
    }
    this.paste = undefined;
    this.isCut = false;
    this.givePaste(parts.join("") + joined.slice(0, end));
    return joined.slice(end + PASTE_END.length);
  }

  /** Waits for the rest of unfinished input, but not for long. */
  private wait(): void {
    const { bursts, waiting } = this;
    if (this.paste) this.stopTimer = this.later(() => this.endPaste(), PASTE_MS);
    else if (bursts.pause !== undefined) this.stopTimer = this.later(() => this.settle(), bursts.pause);
    else if (waiting !== "")
      this.stopTimer = this.later(() => this.flush(), isBegun(waiting) ? SEQUENCE_MS : ESCAPE_MS);
  }

  private settle(): void {
    this.bursts.settle();
    this.wait();
  }

  private endPaste(): void {
    const text = this.paste?.join("") ?? "";
    this.paste = undefined;
    this.isCut = true;
    this.givePaste(text);
  }

  private flush(): void {
    const data = this.waiting;
    this.waiting = "";
    // The rest of the sequence was lost: nobody types such a beginning so fast.
    if (data === "" || isBegun(data)) return;
    if (!data.startsWith(ESC + ESC)) {
      this.give(data);
      return;
    }
    this.give(ESC);
    this.waiting = data.slice(1);
    this.flush();
  }

  private give(data: string, isAlone = true): void {
    if (!isRelease(data)) this.onInput(data, isAlone);
  }

  private givePaste(text: string): void {
    this.bursts.pasted();
    this.onPaste(text);
  }

  private onPaste(text: string): void {
    if (text !== "") this.onInput(PASTE_BEGIN + text + PASTE_END, false);
  }
}

/** The length of the key at the start of the input; undefined if the key is not complete. */
function lengthOfKey(text: string): number | undefined {
  if (!text.startsWith(ESC)) return text.codePointAt(0)! > 0xffff ? 2 : 1;
  return lengthOfSequence(text) ?? (text.length > LONGEST ? 1 : undefined);
}

function lengthOfSequence(text: string): number | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === ESC) {
    const inner = text[2] === "[" || text[2] === "O" ? lengthOfKey(text.slice(1)) : 0;
    // Two escape characters are the key pressed twice, unless a sequence follows that begins with the second.
    return text.length === 2 || inner === undefined ? undefined : inner === 0 ? 1 : inner + 1;
  }
  if (second === "[") return lengthOfControl(text);
  if (second === "O") return text.length < 3 ? undefined : 3;
  if ("]P_^X".includes(second)) return lengthOfString(text);
  return 1 + (text.codePointAt(1)! > 0xffff ? 2 : 1);
}

/** The length of a control sequence: `ESC[`, parameters, a final character. Mouse clicks in the old form have three more characters. */
function lengthOfControl(text: string): number | undefined {
  if (text.startsWith("\x1b[M")) return text.length < 6 ? undefined : 6;
  // The Linux console sends F1 to F5 as ESC[[A to ESC[[E.
  if (text.startsWith("\x1b[[")) return text.length < 4 ? undefined : 4;
  for (let index = 2; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x40 && code <= 0x7e) return index + 1;
    // No sequence has such a character; it begins the next key.
    if (code < 0x20 || code > 0x7e) return index;
  }
  return undefined;
}

/** The length of a string that answers a query, which ends with BEL or ESC and a backslash. */
function lengthOfString(text: string): number | undefined {
  const ends = ["\x07", "\x1b\\"].map((end) => ({ at: text.indexOf(end, 2), length: end.length }));
  const [first] = ends.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  if (first) return first.at + first.length;
  // Followed by a control character, it is Alt with this character, and another key.
  return text.length > 2 && text.charCodeAt(2) < 0x20 ? 2 : undefined;
}

function isBegun(waiting: string): boolean {
  return waiting.length > 2 && "[]OP_^X".includes(waiting[1] as string);
}

/** Whether a sequence of the Kitty protocol reports that a key was released. */
function isRelease(data: string): boolean {
  return data.startsWith("\x1b[") && /^[\d:;]*:3[u~A-Z]$/.test(data.slice(2));
}
