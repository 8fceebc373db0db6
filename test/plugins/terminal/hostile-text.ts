import { columnsIn } from "../../../plugins/terminal/rows/wrap.ts";

const ESC = "\u001b";
/** Sequences that a terminal would execute, and characters that make a text look different from its content. */
const evil = [
  ...["2J", "H", "1;1H", "?1049l", "?2004l", "6n", "c", ">c", "5n", "8m", "?25l", "r", "1000A", "K", "3J", "!p"].map(
    (end) => `${ESC}[${end}`,
  ),
  ...[
    "0;title",
    "2;title",
    "52;c;aGk=",
    "52;c;?",
    "8;;http://x",
    "9;4;1;50",
    "10;?",
    "11;#000000",
    "1337;File=:aa",
    "777;notify;a;b",
  ].flatMap((body) => [`${ESC}]${body}\u0007`, `${ESC}]${body}${ESC}\\`, `${ESC}]${body}`]),
  ...["P1$r0m", "_Ga=T;AAAA", "^private", "Xstring"].flatMap((body) => [`${ESC}${body}${ESC}\\`, `${ESC}${body}`]),
  ...["c", "7", "8", "D", "M", "E", "=", ">", "N", "O", "(0", "#8"].map((end) => ESC + end),
  ...[
    "\u0007",
    "\b",
    "\r",
    "\u000b",
    "\f",
    "\u000e",
    "\u000f",
    "\u0000",
    "\u007f",
    "\u0085",
    "\u009b2J",
    "\u009d0;x\u0007",
    "\u0090x\u009c",
  ],
  ...[
    "\u200e",
    "\u200f",
    "\u061c",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u202a",
    "\u202b",
    "\u202d",
    "\u2066",
    "\u2067",
    "\u2068",
    "\u2069",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u{e0041}",
  ],
  `${ESC}[31m`,
  `${ESC}[38;2;1;2;3m`,
  `${ESC}${ESC}[2J`,
  `${ESC}[${ESC}[2J`,
  `${ESC}]0;${ESC}[2J`,
];
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `before${text}after`,
  (text) => `\`${text}\` **${text}** [${text}](http://${text})`,
  (text) => `\n\`\`\`js\nconst a = "${text}";\n\`\`\`\n`,
];
/** Markdown of about this many characters that is slow to parse or too deeply nested for some parsers. */
export const costly = (size: number): string[] => [
  ...["> ", "- ", "1. ", ">", "* > ", "  - ", "    ", "# "].map((mark) => `${mark.repeat(size / mark.length)}x`),
  ...["![](", "[](", "[", "]", "[a](b", "[](<", '[](a "', "[](a '", "[](a (", "![a](", '[a]: b "'].map((mark) =>
    mark.repeat(size / mark.length),
  ),
  ...[
    "**a",
    "_a*b",
    "*a_ ",
    "~~a",
    "a*",
    "a_",
    "***",
    "`a",
    "`` ` ",
    "<a ",
    "<!--",
    "http://",
    "&amp",
    "\\",
    "www.",
  ].map((mark) => mark.repeat(size / mark.length)),
  ...["|a", "| ", "|-", "- | ", "a\n===\n", "```\n", "~~~\n\n", "- a\n\n", "\n> ", "\n\n"].map((mark) =>
    mark.repeat(size / mark.length),
  ),
  `${"|a".repeat(size / 8)}|\n${"|-".repeat(size / 8)}|\n${"|b|\n".repeat(size / 8)}`,
  `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`,
  Array.from({ length: Math.sqrt(size) }, (_, at) => `${" ".repeat(at * 2)}- a`).join("\n"),
  Array.from({ length: Math.sqrt(size) }, (_, at) => `${"> ".repeat(Math.sqrt(size) - at)}a`).join("\n"),
  `\`\`\`js\n${"/*".repeat(size / 4)}\n"\\\\${"${`".repeat(size / 6)}`,
  `e${"\u0301".repeat(size)}`,
  `👨${"\u200d👨".repeat(size / 3)}`,
  `${"a".repeat(size)}**b**`,
];
/** All sequences and characters, alone and inside of text and Markdown. */
export const cases = evil.flatMap((text) => forms.map((form) => form(text)));

const OWN = new RegExp(`${ESC}\\[[0-9;]*m`, "g");
const FORBIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0041}]/u;

/** The cases whose drawing still contains control or deceptive characters, or a line that is too wide. */
export function leaks(draw: (text: string) => readonly string[], width = Number.POSITIVE_INFINITY): string[] {
  return cases.filter((text) => draw(text).some((line) => isBad(line, width)));
}

/** Whether a drawn line contains control or deceptive characters, or is too wide. */
export function isBad(line: string, width: number): boolean {
  return FORBIDDEN.test(line.replace(OWN, "")) || columnsIn(line) > width;
}
