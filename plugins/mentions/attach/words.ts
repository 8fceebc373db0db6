/** A mention in a message, as it is written. */
export interface Mentioned {
  /** The possible readings as a path, the most literal one first, with the requested lines of each. */
  forms: { path: string; lines?: { from: number; to: number } }[];
  /** Whether it is certainly meant as a file, so that a missing file is reported. */
  isPath: boolean;
}

const MENTION = /(?<=^|[\s(])@(?:"([^"\n]{1,1000})"(#L\d+(?:-L?\d+)?)?|([^\s"]{1,1000}))/g;
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;

/** Finds `@path`, `@path#L10-20` and `@"path with spaces"`, each once. An address such as `me@example.com` is no mention. */
export function mentionsIn(text: string): Mentioned[] {
  const found = new Map<string, Mentioned>();
  for (const [, quoted, range = "", word = ""] of text.matchAll(MENTION)) {
    const written = quoted === undefined ? [word, word.replace(/[.,;:!?)\]}'"]+$/, "")] : [quoted + range];
    const whole = [...new Set(written)].filter((form) => form !== "");
    const forms = whole.flatMap((form) => [{ path: form }, ...withLines(form)]);
    const key = written.at(-1) ?? "";
    if (forms.length > 0 && !found.has(key)) found.set(key, { forms, isPath: quoted !== undefined || isPath(key) });
  }
  return [...found.values()];
}

function withLines(form: string): Mentioned["forms"] {
  const [suffix, from, to = from] = LINES.exec(form) ?? [];
  if (suffix === undefined || form.length === suffix.length) return [];
  const first = Math.max(1, Number(from));
  return [{ path: form.slice(0, -suffix.length), lines: { from: first, to: Math.max(first, Number(to)) } }];
}

/** Whether a word is certainly meant as a file: it has an extension or lines, or begins like a path. `@types/node` may be anything. */
function isPath(word: string): boolean {
  return /^(?:\.{0,2}\/|~\/)/.test(word) || LINES.test(word) || /[^/.]\.[A-Za-z]\w{0,9}$/.test(word);
}
