import type { Command, HereDoc, HereString, Redirection } from "unbash";
import { gapped, gappedText } from "./gaps.ts";

/** A simple command as the shell reads it, with gaps for what is only known when it runs. */
export interface Given {
  words: readonly string[];
  assignments?: readonly string[];
  /** Operators with their targets. */
  redirects?: readonly string[];
  /** Files that it writes by redirection. */
  targets?: readonly string[];
  /** What its standard input holds, when that stands in the script. */
  feed?: string;
  /** Its standard input is redirected. */
  isFed?: boolean;
  /** A here-document has no end. */
  isOpen?: boolean;
}

/** The parts of a simple command. */
export function givenIn(node: Command): Given {
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

/** Where the standard input of a command comes from, and where its output goes. */
export function redirectionsIn(nodes: readonly Redirection[]): Omit<Given, "words"> {
  const redirects: string[] = [];
  const targets: string[] = [];
  const found: Omit<Given, "words"> = { redirects, targets };
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
