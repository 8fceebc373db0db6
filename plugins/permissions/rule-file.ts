import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type {} from "@scorel/host/contract";
import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
import { parse } from "smol-toml";
import { errors } from "./errors.ts";

type Table = Record<string, unknown>;

/**
 * Adds rules to `[permissions] allow` of the user's config.toml, which keeps its comments and its order; no other process
 * changes it meanwhile. Throws PERMISSIONS_RULE, and leaves the file alone, when that cannot be done for sure.
 */
export async function addRules(rules: readonly string[], ctx: BaseContext): Promise<void> {
  const path = join(ctx.find("workspace")?.home ?? "", ".scorel", "config.toml");
  const refused = (thrown: unknown) =>
    codeOf(thrown) === "PERMISSIONS_RULE"
      ? thrown
      : errors.PERMISSIONS_RULE({ path, rules, reason: messageOf(thrown) }, { cause: thrown });
  const change = (before = "") => {
    try {
      return withRules(before, rules);
    } catch (thrown) {
      throw refused(thrown);
    }
  };
  try {
    const host = ctx.find("host");
    if (!host) throw new Error("nothing here can change shared files");
    await host.changeFile(path, change);
  } catch (thrown) {
    throw refused(thrown);
  }
}

/** The text with the rules in it; throws when no way to put them there gives just that. */
export function withRules(text: string, rules: readonly string[]): string {
  const table = parse(text) as Table;
  const permissions = (table.permissions ?? {}) as Table;
  const allow = (permissions.allow ?? []) as string[];
  const fresh = [...new Set(rules)].filter((rule) => !allow.includes(rule));
  if (fresh.length === 0) return text;
  const wanted = (list: string[]) => ({ ...table, permissions: { ...permissions, allow: list } });
  const fits = (candidate: string) =>
    [
      [...fresh, ...allow],
      [...allow, ...fresh],
    ].some((list) => isDeepStrictEqual(plain(read(candidate)), plain(wanted(list))));
  const lines = fresh.map((rule) => JSON.stringify(rule));
  const found = candidates(text, lines).find(fits);
  if (found === undefined) throw new Error("the place for it was not found");
  return found;
}

/** Ways to write it down; which of them is right is found by reading the outcome. */
function* linesOf(text: string): Generator<{ at: number; line: string }> {
  let at = 0;
  for (const line of text.split("\n")) {
    yield { at, line };
    at += line.length + 1;
  }
}

function candidates(text: string, rules: readonly string[]): string[] {
  const list = rules.join(", ");
  const found: string[] = [];
  for (const { at, line } of linesOf(text)) {
    const opening = /^\s*(?:permissions\s*\.\s*)?allow\s*=\s*\[/.exec(line)?.[0];
    // The comma after the last rule may stand before the end of the list.
    if (opening !== undefined)
      for (const comma of [", ", ""]) found.push(inserted(text, at + opening.length, `${list}${comma}`));
    if (/^\s*\[\s*permissions\s*\]/.test(line)) found.push(inserted(text, at + line.length, `\nallow = [${list}]`));
  }
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  found.push(`${text}${end}${text === "" ? "" : "\n"}[permissions]\nallow = [${list}]\n`);
  return found;
}

function inserted(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function read(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined; // A way to write it that is no TOML is not the right one.
  }
}

/** Tables of the parser have no prototype, which would count as a difference. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : structuredClone(value);
}
