import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type {} from "@scorel/host/contract";
import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type {} from "@scorel/projects/contract";
import type {} from "@scorel/workspace/contract";
import { parse } from "smol-toml";
import { errors } from "../errors.ts";

type Table = Record<string, unknown>;

/** Where a user's rule applies: in this project, or in every project. */
export type Reach = "project" | "everywhere";

/**
 * Adds rules to `[permissions] allow` in the user's file, keeping its comments and order, under a lock against other processes.
 * Throws PERMISSIONS_RULE and leaves the file unchanged if it cannot be edited safely.
 */
export async function addRules(rules: readonly string[], reach: Reach, ctx: BaseContext): Promise<void> {
  const path = await fileFor(reach, ctx, rules);
  const title =
    reach === "project" ? `# What you have set for ${ctx.find("workspace")?.root}, and for no other project.\n` : "";
  await change(path, (text = title) => withRules(text, rules), { rules, ctx });
}

/** Removes rules from a user's file and returns those that it contained. Throws PERMISSIONS_RULE. */
export async function removeRules(rules: readonly string[], reach: Reach, ctx: BaseContext): Promise<string[]> {
  const found = (await rulesOf(reach, ctx)).filter((rule) => rules.includes(rule));
  if (found.length === 0) return [];
  await change(await fileFor(reach, ctx, rules), (text = "") => withoutRules(text, found), { rules: found, ctx });
  return found;
}

/** Reads `[permissions] allow` from a user's file. */
export async function rulesOf(reach: Reach, ctx: BaseContext): Promise<string[]> {
  const path = await fileFor(reach, ctx, []);
  try {
    const { permissions = {} } = parse(readFileSync(path, "utf8")) as { permissions?: { allow?: unknown } };
    return Array.isArray(permissions.allow) ? permissions.allow.filter((rule) => typeof rule === "string") : [];
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw errors.PERMISSIONS_RULE({ path, rules: [], reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** The path of the user's file. A project's file is named by its id, so its rules survive a move of the project. */
async function fileFor(reach: Reach, ctx: BaseContext, rules: readonly string[]): Promise<string> {
  const { home = "", root = "" } = ctx.find("workspace") ?? {};
  const folder = join(home, ".scorel");
  if (reach === "everywhere") return join(folder, "config.toml");
  const projects = ctx.find("projects");
  if (!projects)
    throw errors.PERMISSIONS_RULE({
      path: folder,
      rules,
      reason: "the plugin `projects`, which knows the project, is not loaded",
    });
  const { projectId } = await projects.register(projectPlace(root));
  return join(folder, "projects", `${projectId}.toml`);
}

async function change(
  path: string,
  make: (text: string | undefined) => string,
  { rules, ctx }: { rules: readonly string[]; ctx: BaseContext },
): Promise<void> {
  const refused = (thrown: unknown) =>
    codeOf(thrown) === "PERMISSIONS_RULE"
      ? thrown
      : errors.PERMISSIONS_RULE({ path, rules, reason: messageOf(thrown) }, { cause: thrown });
  try {
    const files = ctx.find("sharedFiles");
    if (!files) throw new Error("nothing here can change shared files");
    await files.changeFile(path, (text) => {
      try {
        return make(text);
      } catch (thrown) {
        throw refused(thrown);
      }
    });
  } catch (thrown) {
    throw refused(thrown);
  }
}

/** The text without these rules. Throws when no edit gives exactly the wanted configuration. */
export function withoutRules(text: string, rules: readonly string[]): string {
  return rules.reduce((from, rule) => {
    const table = parse(from) as Table;
    const permissions = (table.permissions ?? {}) as Table;
    const allow = ((permissions.allow ?? []) as string[]).filter((each) => each !== rule);
    const wanted = plain({ ...table, permissions: { ...permissions, allow } });
    const found = withoutText(from, rule).find((candidate) => isDeepStrictEqual(plain(read(candidate)), wanted));
    if (found === undefined) throw new Error("the rule was not found in it as it is written");
    return found;
  }, text);
}

/** Ways to remove a string from a TOML list: with the comma after it, with the one before it, or alone. */
function withoutText(text: string, rule: string): string[] {
  return [JSON.stringify(rule), `'${rule}'`].flatMap((quoted) => {
    const found: string[] = [];
    for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
      const [before, behind] = [text.slice(0, at), text.slice(at + quoted.length)];
      const isLast = !/^\s*,/.test(behind);
      found.push(
        isLast ? before.replace(/,\s*$/, "") + behind : before + behind.replace(/^\s*,[ \t]*/, ""),
        before + behind,
      );
    }
    return found;
  });
}

/** The text with these rules added. Throws when no edit gives exactly the wanted configuration. */
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

function* linesOf(text: string): Generator<{ at: number; line: string }> {
  let at = 0;
  for (const line of text.split("\n")) {
    yield { at, line };
    at += line.length + 1;
  }
}

/** Possible edits that add the rules. The caller parses each result to find the right one. */
function candidates(text: string, rules: readonly string[]): string[] {
  const list = rules.join(", ");
  const found: string[] = [];
  for (const { at, line } of linesOf(text)) {
    const opening = /^\s*(?:permissions\s*\.\s*)?allow\s*=\s*\[/.exec(line)?.[0];
    // The list may already end with a comma.
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
    return undefined; // This edit gives invalid TOML, so it is not the right one.
  }
}

/** Gives the parser's tables a prototype, since `isDeepStrictEqual` compares prototypes. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : structuredClone(value);
}
