/** Finds the 1-based line of a key in a TOML text; undefined when unsure. Elements of arrays have their index as key. */
export type KeyLocator = (path: readonly (string | number)[]) => number | undefined;

/**
 * Finds the line of each key in a valid TOML text, since the TOML parser does not return positions. Reads only headers, keys, and
 * the ends of values. It stops at the first syntax that it does not understand; the lines of later keys are then unknown.
 */
export function createKeyLocator(text: string): KeyLocator {
  const scanner = new Scanner(text);
  scanner.document();
  return (path) => scanner.lines.get(pathKey(path));
}

const pathKey = (path: readonly (string | number)[]) => JSON.stringify(path.map(String));

type Path = readonly string[];

class Lost extends Error {}

class Scanner {
  readonly lines = new Map<string, number>();
  private readonly text: string;
  private at = 0;
  private line = 1;
  /** Path of each array of tables -> index of its latest element. */
  private readonly tables = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    try {
      let table: Path = [];
      for (this.blank(); this.at < this.text.length; this.blank())
        if (this.sees("[")) table = this.header();
        else this.pair(table);
    } catch (thrown) {
      if (!(thrown instanceof Lost)) throw thrown;
    }
  }

  private header(): Path {
    const line = this.line;
    const many = this.sees("[[");
    this.skip(many ? 2 : 1);
    const keys = this.dottedKey();
    this.expect(many ? "]]" : "]");
    const path = this.element(keys, many);
    this.record(path, line);
    return path;
  }

  /** A header's path, with the index of the latest element inserted after each array of tables in it. */
  private element(keys: Path, many: boolean): Path {
    let path: Path = [];
    keys.forEach((key, index) => {
      path = [...path, key];
      const id = pathKey(path);
      if (many && index === keys.length - 1) this.tables.set(id, (this.tables.get(id) ?? -1) + 1);
      const latest = this.tables.get(id);
      if (latest !== undefined) path = [...path, String(latest)];
    });
    return path;
  }

  private pair(table: Path): void {
    const line = this.line;
    const path = [...table, ...this.dottedKey()];
    this.expect("=");
    this.record(path, line);
    this.value(path);
  }

  private value(path: Path): void {
    this.spaces();
    if (this.sees('"""') || this.sees("'''")) this.longString();
    else if (this.sees('"') || this.sees("'")) this.shortString();
    else if (this.sees("[")) this.array(path);
    else if (this.sees("{")) this.inlineTable(path);
    else this.bare();
  }

  private array(path: Path): void {
    this.skip(1);
    for (let index = 0; ; index++) {
      this.blank();
      if (this.take("]")) return;
      const element = [...path, String(index)];
      this.record(element, this.line);
      this.value(element);
      this.blank();
      if (!this.take(",") && !this.sees("]")) throw new Lost();
    }
  }

  private inlineTable(path: Path): void {
    this.skip(1);
    for (;;) {
      this.blank();
      if (this.take("}")) return;
      this.pair(path);
      this.blank();
      if (!this.take(",") && !this.sees("}")) throw new Lost();
    }
  }

  private dottedKey(): string[] {
    const keys: string[] = [];
    do {
      this.spaces();
      keys.push(this.sees('"') || this.sees("'") ? this.shortString() : this.bareKey());
      this.spaces();
    } while (this.take("."));
    return keys;
  }

  private bareKey(): string {
    const key = this.match(/[\w-]{1,1000}/y);
    if (key === undefined) throw new Lost();
    this.skip(key.length);
    return key;
  }

  /** Reads a string on one line and returns its value. */
  private shortString(): string {
    const quote = this.text[this.at];
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== quote && this.text[end] !== "\n")
      end += quote === '"' && this.text[end] === "\\" ? 2 : 1;
    if (this.text[end] !== quote) throw new Lost();
    const inner = this.text.slice(this.at + 1, end);
    this.skip(end + 1 - this.at);
    return quote === '"' ? unescaped(inner) : inner;
  }

  private longString(): void {
    const quote = this.text.slice(this.at, this.at + 3);
    let end = this.at + 3;
    while (end < this.text.length && !this.text.startsWith(quote, end))
      end += quote === '"""' && this.text[end] === "\\" ? 2 : 1;
    if (end >= this.text.length) throw new Lost();
    end += 3;
    // Up to two quotes before the closing ones are part of the string.
    for (let extra = 0; extra < 2 && this.text[end] === quote[0]; extra++) end++;
    this.skip(end - this.at);
  }

  private bare(): void {
    const value = this.match(/[^,\]}#\n]+/y);
    if (value === undefined) throw new Lost();
    this.skip(value.length);
  }

  /** Records the line of a path, and of its parents if they have none yet. */
  private record(path: Path, line: number): void {
    for (let length = 1; length <= path.length; length++) {
      const id = pathKey(path.slice(0, length));
      if (!this.lines.has(id)) this.lines.set(id, line);
    }
  }

  private blank(): void {
    for (;;) {
      this.spaces();
      if (this.sees("#")) {
        const end = this.text.indexOf("\n", this.at);
        this.skip((end < 0 ? this.text.length : end) - this.at);
      } else if (this.sees("\n") || this.sees("\r\n") || this.sees("\uFEFF")) this.skip(1);
      else return;
    }
  }

  private spaces(): void {
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at++;
    if (this.text.startsWith("\r\n", this.at)) this.at++;
  }

  /** The match of a sticky pattern at the current position; undefined if there is none. Does not move the position. */
  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  private sees(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  private take(token: string): boolean {
    if (!this.sees(token)) return false;
    this.skip(token.length);
    return true;
  }

  private expect(token: string): void {
    this.spaces();
    if (!this.take(token)) throw new Lost();
  }

  private skip(count: number): void {
    const end = this.at + count;
    for (; this.at < end; this.at++) if (this.text[this.at] === "\n") this.line++;
  }
}

/** Decodes TOML escapes, which are those of JSON and three more. */
function unescaped(inner: string): string {
  const hex = (digits: string) => JSON.stringify(String.fromCodePoint(Number.parseInt(digits, 16))).slice(1, -1);
  const asJson = inner
    .replace(/\\(\\|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|e)/g, (all, kind: string, long?: string, short?: string) => {
      if (kind === "\\") return all;
      return kind === "e" ? "\\u001b" : hex((long ?? short) as string);
    })
    .replaceAll("\t", "\\t");
  try {
    return JSON.parse(`"${asJson}"`) as string;
  } catch {
    throw new Lost();
  }
}
