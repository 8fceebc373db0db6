import type { SyntaxNode } from "unbash";
import { gapped } from "./gaps.ts";
import { simpleCommandOf } from "./simple-command.ts";
import type { Values } from "./values.ts";

const MAX_TEXT = 16_000;

/** The text that part of a pipeline prints, as far as it is in the script: arguments of echo and printf, and here-documents. */
export function textPrintedBy(node: SyntaxNode, values: Values): string {
  const texts: string[] = [];
  collect(node, values, texts);
  return texts.join("\n").slice(0, MAX_TEXT);
}

function collect(node: SyntaxNode, values: Values, texts: string[]): void {
  if (node.type === "Command") {
    const { words, feed } = simpleCommandOf(node);
    if (feed !== undefined) texts.push(feed);
    if (!/^(?:\S*\/)?(?:echo|printf|print)$/.test(words[0] ?? "")) return;
    const own = node.suffix.flatMap((part) => (part.type === "Word" ? [part] : []));
    for (const variant of [own.map(gapped), ...values.filled(own).variants]) texts.push(...linesOf(variant));
  } else if (node.type === "BraceGroup" || node.type === "Subshell") {
    for (const { command } of node.body.commands) collect(command, values, texts);
  }
}

/** The text of a format filled with its arguments, and each argument by itself. */
function linesOf(words: readonly string[]): string[] {
  const plain = words.filter((word) => !/^-[neE]+$/.test(word));
  const [format = "", ...rest] = plain;
  const left = [...rest];
  const filled = format.replace(/%[-\d.]*[a-zA-Z]/g, () => left.shift() ?? "");
  return [...new Set([filled, plain.join(" "), rest.join(""), ...rest])].map(unescaped);
}

/** Decodes escapes as echo and printf do. */
function unescaped(text: string): string {
  const code = (digits: string, base: number) => String.fromCodePoint(Number.parseInt(digits, base));
  return text
    .replace(/\\n/g, "\n")
    .replace(/\\x([\da-f]{1,2})|\\u([\da-f]{1,4})/gi, (_, x?: string, u?: string) => code(x ?? u ?? "0", 16))
    .replace(/\\0?([0-7]{1,3})/g, (_, digits: string) => code(digits, 8));
}
