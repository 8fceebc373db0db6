type Env = Readonly<Record<string, string | undefined>>;

/** The protocol for showing pictures in a terminal. */
export type Graphics = "kitty" | "iterm2";

const ESC = "\u001b";
/** Marks a line as a row of a picture. Other texts never contain it, since control sequences are removed from them. */
const MARK = new RegExp(`^${ESC}_P(\\d+);(\\d+)${ESC}\\\\$`);
/** Columns before a picture. */
const INDENT = 2;
/** The most characters of base64 in one sequence: the Kitty protocol sends a picture in parts. */
const PART = 4_096;
/** Milliseconds without movement before a picture is sent to iTerm2, to which it has to be sent again for each place. */
const STILL_MS = 150;
/** The most pictures that are kept at the same time. */
const MOST = 200;

interface Picture {
  id: number;
  data: string;
  columns: number;
  rows: number;
  height: number;
}
/** The rows of a picture that are on the screen. */
interface Place {
  picture: Picture;
  row: number;
  from: number;
  count: number;
}

/** The protocol that the terminal supports, judging by its environment variables. None within tmux and similar, which lose pictures. */
export function graphicsOf(setting: Graphics | "auto" | "off", env: Env): Graphics | undefined {
  if (setting !== "auto") return setting === "off" ? undefined : setting;
  const term = env.TERM ?? "";
  if (env.TMUX || env.STY || env.ZELLIJ || /^(?:tmux|screen)/.test(term)) return undefined;
  const program = (env.TERM_PROGRAM ?? env.LC_TERMINAL ?? "").toLowerCase();
  if (env.KITTY_WINDOW_ID || /kitty|ghostty/.test(term) || program === "ghostty") return "kitty";
  return ["iterm.app", "iterm2", "wezterm"].includes(program) ? "iterm2" : undefined;
}

/** Shows the pictures of the conversation in a terminal that can show them. */
export class Pictures {
  readonly graphics: Graphics;
  private readonly now: () => number;
  private readonly known = new Set<Picture>();
  private lastId = Math.floor(Math.random() * 0xffffff);
  /** Ids of the pictures that the terminal has stored. */
  private readonly sent = new Set<number>();
  private shown = new Map<string, Place>();
  private wanted = new Map<string, Place>();
  private stillSince = 0;

  constructor(graphics: Graphics, now: () => number = () => performance.now()) {
    this.graphics = graphics;
    this.now = now;
  }

  /** Lines that represent a picture in a frame. `data` is base64, `height` is in pixels. */
  lines({ data, height }: Pick<Picture, "data" | "height">, columns: number, rows: number): string[] {
    const isSame = (each: Picture) => each.columns === columns && each.rows === rows && each.data === data;
    let picture = [...this.known].find(isSame);
    if (!picture) {
      picture = { id: ++this.lastId, data, columns, rows, height };
      this.known.add(picture);
      for (const oldest of this.known) if (this.known.size > MOST) this.known.delete(oldest);
    }
    const { id } = picture;
    return Array.from({ length: rows }, (_, row) => `${ESC}_P${id};${row}${ESC}\\`);
  }

  /** Replaces the lines that represent pictures by empty ones, and notes their positions. */
  take(lines: readonly string[]): string[] {
    const ids = new Map([...this.known].map((picture) => [picture.id, picture]));
    const places: Place[] = [];
    const rest = lines.map((line, row) => {
      const [, id, from] = line.startsWith(ESC) ? (MARK.exec(line) ?? []) : [];
      if (id === undefined) return line;
      const picture = ids.get(Number(id));
      const last = places.at(-1);
      if (last && last.picture === picture && last.row + last.count === row && last.from + last.count === Number(from))
        last.count++;
      else if (picture) places.push({ picture, row, from: Number(from), count: 1 });
      return "";
    });
    const visible = places.filter((place) => this.graphics === "kitty" || place.count === place.picture.rows);
    const wanted = new Map(visible.map((place) => [keyOf(place), place]));
    if (wanted.size !== this.wanted.size || [...wanted.keys()].some((key) => !this.wanted.has(key)))
      this.stillSince = this.now();
    this.wanted = wanted;
    return rest;
  }

  /** Output that removes pictures that have moved or disappeared. Sent before the lines. */
  removing(): string {
    const gone = [...this.shown].filter(([key]) => !this.wanted.has(key));
    for (const [key] of gone) this.shown.delete(key);
    return gone.map(([, place]) => this.removed(place)).join("");
  }

  /** Output that shows pictures that are not on the screen yet. Sent after the lines. */
  showing(): string {
    if (this.waits > 0) return "";
    const added = [...this.wanted].filter(([key]) => !this.shown.has(key));
    this.shown = new Map(this.wanted);
    const drawn = added.map(([, place]) => `${ESC}[${place.row + 1};${INDENT + 1}H${this.drawn(place)}`).join("");
    return drawn === "" ? "" : `${ESC}7${drawn}${ESC}8`;
  }

  /** Milliseconds until moved pictures are shown; 0 when none waits. */
  get waits(): number {
    const isMissing = [...this.wanted.keys()].some((key) => !this.shown.has(key));
    if (this.graphics === "kitty" || !isMissing) return 0;
    return Math.max(0, this.stillSince + STILL_MS - this.now());
  }

  /** Forgets which pictures are on the screen, because it was cleared. A terminal then also deletes the data of its pictures. */
  forget(): void {
    this.shown.clear();
    this.sent.clear();
  }

  private removed(place: Place): string {
    const { picture, row, count } = place;
    if (this.graphics === "kitty") return `${ESC}_Ga=d,d=i,i=${picture.id},p=${placementOf(place)},q=2${ESC}\\`;
    const rows = Array.from(
      { length: count },
      (_, at) => `${ESC}[${row + at + 1};${INDENT + 1}H${ESC}[${picture.columns}X`,
    );
    return rows.join("");
  }

  private drawn(place: Place): string {
    const { picture, from, count } = place;
    const { id, data, columns, rows, height } = picture;
    if (this.graphics === "iterm2")
      return `${ESC}]1337;File=inline=1;width=${columns};height=${rows};preserveAspectRatio=1:${data}\u0007`;
    const part = (of: number) => Math.floor((of * height) / rows);
    const cut = count === rows ? "" : `,y=${part(from)},h=${Math.max(1, part(from + count) - part(from))}`;
    const put = `${ESC}_Ga=p,i=${id},p=${placementOf(place)},c=${columns},r=${count}${cut},C=1,q=2${ESC}\\`;
    return (this.sent.has(id) ? "" : this.transmitted(picture)) + put;
  }

  private transmitted({ id, data }: Picture): string {
    this.sent.add(id);
    const parts = data.match(new RegExp(`.{1,${PART}}`, "g")) ?? [];
    return parts
      .map((part, at) => {
        const more = `m=${at < parts.length - 1 ? 1 : 0}`;
        return `${ESC}_G${at === 0 ? `a=t,f=100,i=${id},q=2,${more}` : more};${part}${ESC}\\`;
      })
      .join("");
  }
}

function keyOf({ picture, row, from, count }: Place): string {
  return `${picture.id} ${row} ${from} ${count}`;
}

/** An id that tells apart the places where the same picture is shown. */
function placementOf({ row }: Place): number {
  return row + 1;
}
