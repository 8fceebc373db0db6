const MAX_FORMS = 256;

/** One reading of a text as a file name. */
export interface PathForm {
  path: string;
  /** Whether the text is certainly meant as a file name. */
  sure: boolean;
}

/**
 * All readings of a word as a file name: the whole word, the part after an option letter, `=`, `:` or `@`, and decoded forms of
 * a URL's `%2e`, `[a-c]` and `{a,b}`.
 */
export function formsOf(value: string): PathForm[] {
  const others = [...new Set(decoded(value).flatMap(expanded))].filter((text) => text !== value);
  return [...plainForms(value), ...others.flatMap(plainForms).map(({ path }) => ({ path, sure: false }))];
}

function plainForms(value: string): PathForm[] {
  const plain = value.replace(/^file:\/{0,2}(?:localhost)?(?=\/)/i, "");
  const parts = plain.split(/[=:,@]/).filter((part) => part !== "" && part !== plain);
  return [
    { path: plain, sure: !plain.startsWith("-") },
    ...[...afterLetters(plain), ...parts].map((path) => ({ path, sure: false })),
    ...(plain.includes("=") ? [{ path: plain.slice(plain.indexOf("=") + 1), sure: true }] : []),
  ];
}

/** The parts after one or more option letters, as in `-qFname`; `-includename` is read the same way. */
function afterLetters(word: string): string[] {
  const letters = /^-([A-Za-z]{1,24})./s.exec(word)?.[1] ?? "";
  const texts = [...letters].map((_letter, at) => word.slice(at + 2)).filter((text) => text !== "");
  // A plain bundle of letters rarely contains a file name after the first few.
  return /^-[A-Za-z]+$/.test(word) ? texts.slice(0, 4) : texts;
}

function decoded(value: string): string[] {
  if (!/%[\da-f]{2}/i.test(value)) return [value];
  const text = value.replace(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return [value, text];
}

/** Expands ranges and lists in brackets and braces, up to a limit. */
function expanded(value: string): string[] {
  if (!value.includes("/") || !/[[{]/.test(value) || value.length > 4_096) return [value];
  let texts = [""];
  for (const part of value.split(/(\[[^\][]*\]|\{[^{}]*\})/)) {
    const choices = /^\[.+\]$/s.test(part)
      ? rangeOf(part.slice(1, -1))
      : /^\{.+\}$/s.test(part)
        ? part.slice(1, -1).split(",")
        : [part];
    texts = texts.flatMap((text) => choices.map((choice) => text + choice)).slice(0, MAX_FORMS);
  }
  return texts;
}

function rangeOf(text: string): string[] {
  const [, first, last] = /^(\w+)-(\w+)(?::\d+)?$/.exec(text) ?? [];
  if (first === undefined || last === undefined) return [...text];
  const isNumber = /^\d+$/.test(first + last);
  const [from, to] = isNumber ? [Number(first), Number(last)] : [first.charCodeAt(0), last.charCodeAt(0)];
  const count = Math.min(Math.max(to - from + 1, 0), MAX_FORMS);
  return Array.from({ length: count }, (_, at) =>
    isNumber ? String(from + at).padStart(first.length, "0") : String.fromCharCode(from + at),
  );
}

/** Adds the paths that `/proc/…/cwd` and `/proc/…/root` stand for, for each folder that the command may run in. */
export function withoutProc(path: string, folders: readonly string[]): readonly string[] {
  const [, kind, rest = ""] = /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(cwd|root)(?=\/|$)(.*)$/s.exec(path) ?? [];
  if (kind === undefined) return [path];
  return kind === "root" ? [path, rest || "/"] : [path, ...folders.map((folder) => folder + rest)];
}

/** Possible file names in a sed script: any text after `r`, `R`, `w` or `W`. */
export function namesInSed(script: string): string[] {
  const places = [...script.matchAll(/[rRwW]/g)].slice(0, 64).map(({ index }) => index + 1);
  return places.flatMap((at) => {
    const line = /^[^\n]*/.exec(script.slice(at))?.[0].trim() ?? "";
    // No file can have a longer name, and removing marks from the end of a long line takes long.
    if (line === "" || line.length >= 4_096) return [];
    return [line, line.replace(/[\s;}]+$/, "")].filter((name) => name !== "");
  });
}

/** Whether an awk program may read files whose names it computes. */
export function mayOpenFiles(program: string): boolean {
  return /getline|system|ARG[VC]|@(?:include|load)|\|/.test(program.replaceAll("||", ""));
}

/** Guesses what a text expands to, using known values of variables, the output of `echo` and `printf`, or else a plain name. */
export function guessed(text: string, values: ReadonlyMap<string, readonly string[]>, isInner = false): string[] {
  let forms = [""];
  for (const part of text.split(/(\$\{[^}]*\}|\$\((?:[^()"']|"[^"]*"|'[^']*')*\)|`[^`]*`|\$\w+)/)) {
    const choices = choicesFor(part, values, isInner);
    forms = forms.flatMap((form) => choices.map((choice) => form + choice)).slice(0, 16);
  }
  return forms.map((form) => form.replace(/["'\\$`]/g, ""));
}

function choicesFor(part: string, values: ReadonlyMap<string, readonly string[]>, isInner: boolean): readonly string[] {
  const script = /^\$\(([\s\S]*)\)$/.exec(part)?.[1] ?? /^`([\s\S]*)`$/.exec(part)?.[1];
  if (script !== undefined) return isInner ? ["x", ""] : printed(script, values);
  const name = /^\$\{?(\w+)/.exec(part)?.[1];
  if (name === undefined) return [part];
  const other = /^\$\{\w+:?[-=+](.*)\}$/s.exec(part)?.[1];
  const known = [...(values.get(name) ?? []), ...(other === undefined ? [] : [other])];
  return known.length > 0 ? known : ["x", ""];
}

function printed(script: string, values: ReadonlyMap<string, readonly string[]>): string[] {
  const words = /^\s*(?:printf|echo)\s+(?:-[neE]\s+)?([\s\S]*)$/
    .exec(script)?.[1]
    ?.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g);
  if (!words) return ["x", ""];
  const plain = words.map((word) => guessed(word, values, true)[0] ?? "");
  const rest = plain.slice(1);
  return [(plain[0] as string).replace(/%s/g, () => rest.shift() ?? ""), plain.join(" ")];
}
