/** A path that a message mentions, as it is written. */
export interface Mentioned {
  /** The forms that may be meant, the most literal one first, with the lines that each asks for. */
  forms: { path: string; lines?: { from: number; to: number } }[];
  /** Whether it is surely meant as a file, so that a missing one is told. */
  isPath: boolean;
}

const MENTION = /(?<=^|[\s(])@(?:"([^"\n]{1,1000})"(#L\d+(?:-L?\d+)?)?|([^\s"]{1,1000}))/g;
const LINES = /#L(\d{1,9})(?:-L?(\d{1,9}))?$/;

/** Finds `@path`, `@path#L10-20` and `@"path with spaces"`, each once. An address such as `me@example.com` mentions nothing. */
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

/** `@types/node` and `@someone` may be anything; what has an extension, lines or begins like a path is meant as a file. */
function isPath(word: string): boolean {
  return /^(?:\.{0,2}\/|~\/)/.test(word) || LINES.test(word) || /[^/.]\.[A-Za-z]\w{0,9}$/.test(word);
}
