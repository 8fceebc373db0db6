import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
import { parse } from "smol-toml";
import { errors } from "./errors.ts";

type Table = Record<string, unknown>;

/**
 * Adds rules to `[permissions] allow` of the user's config.toml, which keeps its comments and its order. Throws
 * PERMISSIONS_RULE, and leaves the file alone, when that cannot be done for sure.
 */
export async function addRules(rules: readonly string[], ctx: BaseContext): Promise<void> {
  const path = join(ctx.find("workspace")?.home ?? "", ".scorel", "config.toml");
  try {
    const file = await targetOf(path);
    const before = await textOf(file);
    const after = withRules(before, rules);
    if (after === undefined) throw new Error("the place for it was not found");
    if (after !== before) await replace(file, after);
  } catch (thrown) {
    throw errors.PERMISSIONS_RULE({ path, rules, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** The text with the rules in it; undefined when no way to put them there gives just that. */
export function withRules(text: string, rules: readonly string[]): string | undefined {
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
  return candidates(
    text,
    fresh.map((rule) => JSON.stringify(rule)),
  ).find(fits);
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

/** Where a link leads, so that it stays a link. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

async function replace(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(temporary, mode);
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
