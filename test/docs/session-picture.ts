/** The picture of a session in the README: the output of `scorel demo`, drawn as in a terminal. */
export const pictureFile = "docs/session.svg";

const LINE = 20;
const MARGIN = 24;
const WIDTH = 920;

/** The colour of a line, by the first pattern that matches. */
const styles: readonly [kind: string, matches: RegExp][] = [
  ["command", /^\$ /],
  ["call", /^ {2}> /],
  ["passed", /^ {4}.*\bfail 0$/],
  ["failed", /^ {4}.*\bfail [1-9]/],
  ["result", /^ {4}/],
  ["label", /^(?:Repository|Task): /],
];

/** An SVG of the demonstration's output up to its last reply, without the random name of its folder. */
export function sessionPicture(stdout: string): string {
  const [conversation = ""] = stdout.split("\nChecked once more");
  const shown = conversation.trimEnd().replace(/^(Repository: ).*$/m, "$1/tmp/scorel-demo");
  const lines = ["$ scorel demo", "", ...shown.split("\n").slice(2)].flatMap(wrapped);
  const height = MARGIN * 2 + LINE * lines.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="scorel demo in a terminal">`,
    "<style>",
    "text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6deeb; white-space: pre }",
    ".command { fill: #ffffff; font-weight: bold } .call { fill: #82aaff } .result, .label { fill: #8b98a9 }",
    ".passed { fill: #7fdb8a } .failed { fill: #ff8b7b }",
    "</style>",
    `<rect width="${WIDTH}" height="${height}" rx="10" fill="#10161f"/>`,
    ...lines.map(textOf),
    "</svg>",
    "",
  ].join("\n");
}

/** Splits a long line between words into pieces of at most 104 characters. */
function wrapped(line: string): string[] {
  return line.match(/.{1,104}(?=\s|$)/g)?.map((piece, index) => (index === 0 ? piece : piece.trimStart())) ?? [""];
}

function textOf(line: string, index: number): string {
  if (line === "") return "";
  const [kind] = styles.find(([, matches]) => matches.test(line)) ?? [];
  const y = MARGIN + LINE * index + 14;
  return `<text x="${MARGIN}" y="${y}"${kind === undefined ? "" : ` class="${kind}"`}>${escaped(line)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
