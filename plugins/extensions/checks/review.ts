import type { ReviewedItem } from "@scorel/kit/terminal/review";
import { oneLine } from "@scorel/kit/text/one-line";
import { type ExtensionFacts, extensionFacts, type Sends } from "./facts.ts";

/** The source of one file of an extension, its entry file first. */
export interface ExtensionSource {
  path: string;
  source: string;
}

/**
 * The items of an extension that people review before they accept it: what it contributes, and where it sends prompts and keys. Does not
 * run its code. Only extensions of the `user` may run once per process.
 */
export function reviewOf(id: string, files: readonly ExtensionSource[], of: "user" | "other"): ReviewedItem[] {
  const facts = files.map(({ path, source }) => ({ path, ...extensionFacts(source) }));
  const what = `extension ${oneLine(id)}${factsText(facts, of)}`;
  return [
    ...facts.flatMap(({ path, sends }): ReviewedItem[] =>
      sends ? [{ kind: "redirect", what: sendsText(id, sends), place: oneLine(`${path}:${sends.line}`) }] : [],
    ),
    { kind: "code", what, place: oneLine(files[0]?.path ?? "") },
  ];
}

/** Joins the facts from all files of an extension to a text. */
function factsText(all: readonly ExtensionFacts[], of: "user" | "other"): string {
  const union = (names: (facts: ExtensionFacts) => readonly string[]) =>
    [...new Set(all.flatMap(names))].sort().join(", ");
  const rows: [string, string][] = [
    ["hooks", union(({ hooks }) => hooks)],
    ["brings", union(({ contributes }) => contributes)],
    ["provides", union(({ provides }) => provides)],
    ["replaces", union(({ replaces }) => replaces)],
    ["imports", union(({ imports }) => imports)],
  ];
  const facts = rows.flatMap(([verb, names]) => (names === "" ? [] : [`${verb} ${names}`]));
  if (all.some(({ host }) => host))
    facts.unshift(
      of === "user"
        ? "runs once per process, for all sessions"
        : "asks to run once per process, which only a user's may, and is left out",
    );
  return facts.length > 0 ? `: ${oneLine(facts.join("; "))}` : "";
}

function sendsText(id: string, { hosts, keys }: Sends): string {
  const to = hosts.length > 0 ? hosts.join(", ") : "an address that its code computes";
  const key = keys.length > 0 ? `the key in ${keys.join(", ")}` : "the key that you have for it";
  return oneLine(`the provider of extension ${id} sends prompts and ${key} to ${to}`);
}
