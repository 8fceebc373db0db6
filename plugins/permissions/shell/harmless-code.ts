/** Names that neither start a program nor give access to something that does. */
const NAMES = new Set(
  (
    "print console log JSON stringify parse require import from json sys stdin stdout load loads dumps read write len str int float " +
    "sum min max sorted set list dict range for in if else not and or is True False None null undefined true false argv version " +
    "versions version_info process env platform arch cwd keys values entries Object Math floor ceil round random now Date toISOString " +
    "items get join split strip slice map filter length toString const let var as indent sep end name scripts dependencies math sqrt pi " +
    "re time datetime os_name exit node python encoding utf8 new Array from flat sort reverse includes indexOf toUpperCase toLowerCase"
  ).split(" "),
);
const TOKEN =
  /\s+|\d[\d_.]*|[A-Za-z_$][\w$]*|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|=>|[()[\]{}.,:;=+\-*%<>!?&|]/y;
const MODULES = /^(?:json|sys|math|re|time|datetime)$/;
const MAX_LENGTH = 2_000;

/**
 * Whether a line of Python or JavaScript only calculates and prints: every name is in a known list, none is computed, and
 * imports are limited to harmless modules. Unrecognised syntax is not harmless.
 */
export function isHarmlessCode(code: string, language: "python" | "javascript"): boolean {
  const tokens = code.length > MAX_LENGTH ? undefined : tokensOf(code);
  if (!tokens) return false;
  return tokens.every((token, at) =>
    isHarmless(token, tokens[at - 1] ?? "", tokens[at + 1] ?? "", tokens[at + 2] ?? "", language),
  );
}

function tokensOf(code: string): string[] | undefined {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < code.length) {
    const [token] = TOKEN.exec(code) ?? [];
    if (token === undefined) return undefined;
    // A letter before a quote, or a triple quote, changes what the string means.
    if (/^["']/.test(token) && /[\w"'$]$/.test(tokens.at(-1) ?? "")) return undefined;
    tokens.push(token);
  }
  return tokens.filter((token) => !/^\s+$/.test(token));
}

function isHarmless(token: string, before: string, next: string, second: string, language: string): boolean {
  if (token === "[" && language === "javascript") return /^\d+$/.test(next) && second === "]";
  if (!/^[A-Za-z_$]/.test(token)) return true;
  if (token === "require") return next === "(" && /^["']\.{1,2}\/[\w./-]+\.json["']$/.test(second);
  if (token === "import" || token === "from")
    return language === "python" && (before !== "." || token === "from") && MODULES.test(next);
  return NAMES.has(token) || (/^[a-z]$/.test(token) && before !== ".");
}
