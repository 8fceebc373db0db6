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

const MENTION = /(?<=^|[\s(（「『【])@(?:"([^"\n]{1,1000})"(#L\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)?|([^\s"]{1,1000}))/g;
/** Punctuation that ends a clause, also in Chinese and Japanese. */
const TRAILING = /[.,;:!?)\]}'"。，、；：！？）」』】…]+$/;
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;
/** Lines as editors and compilers write them: `:10`, `:10-20`, or `:10:5` for a line and a column. */
const LINES_AFTER_COLON = /:(\d{1,9})(?:-(\d{1,9})|:\d{1,9})?$/;

/**
 * Finds `@path`, `@path#L10-20`, `@path:10-20` and `@"path with spaces"`, each once. An address such as `me@example.com` is no mention.
 */
export function mentionsIn(text: string): Mentioned[] {
  const found = new Map<string, Mentioned>();
  for (const [, quoted, range = "", word = ""] of text.matchAll(MENTION)) {
    const written = quoted === undefined ? [word, word.replace(TRAILING, "")] : [quoted + range];
    const whole = [...new Set(written)].filter((form) => form !== "");
    const forms = whole.flatMap((form) => [{ path: form }, ...withLines(form)]);
    const key = written.at(-1) ?? "";
    if (forms.length > 0 && !found.has(key)) found.set(key, { forms, isPath: quoted !== undefined || isPath(key) });
  }
  return [...found.values()];
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
