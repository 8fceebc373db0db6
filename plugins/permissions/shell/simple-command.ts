import type { Command, HereDoc, HereString, Redirection } from "unbash";
import { gapped, gappedText } from "./gaps.ts";

/** A simple command as the shell parses it, with gaps for text that is only known at run time. */
export interface SimpleCommand {
  words: readonly string[];
  assignments?: readonly string[];
  /** Redirection operators with their targets. */
  redirects?: readonly string[];
  /** Files that the command writes by redirection. */
  targets?: readonly string[];
  /** The text on standard input, when it is in the script itself. */
  feed?: string;
  /** Whether standard input is redirected. */
  isFed?: boolean;
  /** Whether a here-document has no end marker. */
  isOpen?: boolean;
}

/** Converts a parsed command. Assignments after the command's name count as words. */
export function simpleCommandOf(node: Command): SimpleCommand {
  const words: string[] = node.name ? [gapped(node.name)] : [];
  const assignments: string[] = [];
  const redirects: Redirection[] = [];
  for (const part of [...node.prefix, ...node.suffix]) {
    if (part.type === "Word") words.push(gapped(part));
    else if (part.type !== "Assignment") redirects.push(part);
    else {
      const value = part.value.type === "Word" ? gapped(part.value) : part.value.elements.map(gapped).join(" ");
      const text = `${part.name}${part.index ? `[${gapped(part.index)}]` : ""}${part.append ? "+" : ""}=${value}`;
      (part.pos < (node.name?.pos ?? Number.POSITIVE_INFINITY) ? assignments : words).push(text);
    }
  }
  return { words, assignments, ...redirectionsIn(redirects) };
}

/** The sources of a command's standard input and the targets of its output. */
export function redirectionsIn(nodes: readonly Redirection[]): Omit<SimpleCommand, "words"> {
  const redirects: string[] = [];
  const targets: string[] = [];
  const found: Omit<SimpleCommand, "words"> = { redirects, targets };
  for (const node of nodes) {
    const { descriptor } = node;
    const isInput = descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0);
    if (node.type === "HereDoc" && (!node.closing || !node.delimiter)) found.isOpen = true;
    if (node.type !== "Redirect") {
      if (isInput) found.feed = textOf(node);
    } else {
      const target = node.target ? gapped(node.target) : "";
      redirects.push(`${descriptor?.type === "FileDescriptor" ? descriptor.value : ""}${node.operator} ${target}`);
      const isDescriptor = /^[<>]&$/.test(node.operator) && /^(?:\d+-?|-)$/.test(target);
      if (node.operator.includes(">") && !isDescriptor) targets.push(target);
      if (node.operator.startsWith("<") && isInput) {
        found.isFed = true;
        delete found.feed;
      }
    }
    if (found.feed !== undefined) found.isFed = true;
  }
  return found;
}

function textOf(node: HereDoc | HereString): string {
  if (node.type === "HereString") return node.target ? gapped(node.target) : "";
  return gappedText(node.body.text, node.delimiter?.quoted ? undefined : node.body.parts);
}
