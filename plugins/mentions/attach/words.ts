/** A reading of a mention as a path, with the requested lines. */
interface Form {
  path: string;
  lines?: { from: number; to: number };
  /** Set if only a file can be meant: in other names, such as those of sources, a number may follow a colon. */
  isOfFile?: true;
}

/** A mention in a message, as it is written. */
export interface Mentioned {
  /** The possible readings, the most literal one first. */
  forms: Form[];
  /** Whether it is certainly meant as a file, so that a missing file is reported. */
  isPath: boolean;
}

/** In Chinese and Japanese, a mention follows other text without a space. */
const MENTION =
  /(?<=^|[\s(（「『【，。、；：！？\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])@(?:"([^"\n]{1,1000})"(#L\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)?|([^\s"]{1,1000}))/gu;
/** Punctuation after which Chinese and Japanese text goes on without a space. */
const WIDE = /[。，、；：！？）」』】…]/;
/** Most searches inside of words in a text: each could go through 1,000 characters again. */
const MOST_INSIDE = 200;
/** Punctuation that ends a clause. */
const TRAILING = /[.,;:!?)\]}'"。，、；：！？）」』】…]+$/;
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;
/** Lines as editors and compilers write them: `:10`, `:10-20`, or `:10:5` for a line and a column. */
const LINES_AFTER_COLON = /:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/;

/**
 * Finds `@path`, `@path#L10-20`, `@path:10-20` and `@"path with spaces"`, each once. An address such as `me@example.com` is no mention.
 */
export function mentionsIn(text: string): Mentioned[] {
  const found = new Map<string, Mentioned>();
  for (const [, quoted, range = "", word = ""] of matchesIn(text)) {
    const written = quoted === undefined ? [word, word.replace(TRAILING, ""), beforeWide(word)] : [quoted + range];
    const whole = [...new Set(written)].filter((form) => form !== "");
    const forms = whole.flatMap((form) => [{ path: form }, ...withLines(form)]);
    const key = written.at(-1) ?? "";
    if (forms.length > 0 && !found.has(key)) found.set(key, { forms, isPath: quoted !== undefined || isPath(key) });
  }
  return [...found.values()];
}

/** The matches in a text. A word may contain further ones after Chinese or Japanese punctuation, up to MOST_INSIDE in all. */
function* matchesIn(text: string): Generator<RegExpExecArray, undefined> {
  const finder = new RegExp(MENTION);
  let inside = 0;
  for (let match = finder.exec(text); match; match = finder.exec(text)) {
    yield match;
    const at = inside < MOST_INSIDE ? (match[3]?.search(WIDE) ?? -1) : -1;
    if (at < 0) continue;
    finder.lastIndex = match.index + 1 + at;
    inside++;
  }
}

/** The beginning of a word before Chinese or Japanese punctuation; the whole word if there is none. */
function beforeWide(word: string): string {
  const [beginning = ""] = word.split(WIDE, 1);
  return beginning.replace(TRAILING, "");
}

function withLines(form: string): Form[] {
  const isOfFile = LINES_AFTER_COLON.test(form);
  const [suffix, from, to = from] = (isOfFile ? LINES_AFTER_COLON : LINES).exec(form) ?? [];
  if (suffix === undefined || form.length === suffix.length) return [];
  const first = Math.max(1, Number(from));
  const lines = { from: first, to: Math.max(first, Number(to)) };
  return [{ path: form.slice(0, -suffix.length), lines, ...(isOfFile && { isOfFile }) }];
}

/** Whether a word is certainly meant as a file: it has an extension or lines, or begins like a path. `@types/node` may be anything. */
function isPath(word: string): boolean {
  const path = word.replace(LINES_AFTER_COLON, "");
  return /^(?:\.{0,2}\/|~\/)/.test(path) || LINES.test(path) || /[^/.]\.[A-Za-z]\w{0,9}$/.test(path);
}
