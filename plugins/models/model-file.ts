import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { errors } from "./errors.ts";
import { remove, replace } from "./replace.ts";

/** A model of a custom server. */
export interface CustomModel {
  provider: string;
  id: string;
  baseUrl: string;
  apiKeyEnv?: string;
  contextWindow: number;
}

/** The table for a model: `[model]`, or `[models.<alias>]` if the file already has a `[model]`. */
export interface Where {
  path: string;
  name: string;
  alias?: string;
  /** The lines of the existing table for this model, and where they begin in the text. Absent for a new table. */
  own?: { lines: string; at: number };
  /** The text of the file; "" if it does not exist. */
  text: string;
}

/** Finds the table for a model in the user's configuration: an existing one, or a new one. Throws MODELS_FILE. */
export function whereFor(model: CustomModel): Where {
  return ownTable(model) ?? newTable(model.provider);
}

/** Chooses a new table: `[model]` if the file has none. Throws MODELS_FILE. */
export function newTable(provider: string): Where {
  const { path, text } = userFile();
  const shape = withoutLongStrings(text);
  if (!hasDefault(text)) return { path, name: "model", text };
  if (/^[ \t]*"?models"?\s*=/m.test(shape))
    throw errors.MODELS_FILE({ path, reason: 'it has "models = …", which a table cannot be added to' });
  const taken = new Set(Array.from(shape.matchAll(/^[ \t]*\[\s*models\s*\.\s*"?([\w-]+)/gm), ([, alias]) => alias));
  const plain = provider.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const base = /^[a-z]/.test(plain) ? plain : `server-${plain}`;
  let alias = base;
  for (let number = 2; taken.has(alias); number++) alias = `${base}-${number}`;
  return { path, name: `models.${alias}`, alias, text };
}

/** Whether a file has a table `[model]`, or keys such as `model.id` before its first table. */
export function hasDefault(text: string): boolean {
  const shape = withoutLongStrings(text);
  const [before = ""] = shape.split(/^[ \t]*\[/m);
  return /^[ \t]*\[\s*"?model"?\s*[\].]/m.test(shape) || /^[ \t]*"?model"?\s*[.=]/m.test(before);
}

/** Comments, strings of several lines, and strings of one line, in which quotes have no meaning for the others. */
const COMMENT_OR_STRING =
  /#[^\n]*|"""(?:[^"\\]|\\[\s\S]|"(?!""))*(?:"{3,5}|$)|'''(?:[^']|'(?!''))*(?:'{3,5}|$)|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;

/** The text with other characters in place of strings of several lines, whose lines may look like tables. Its length stays the same. */
function withoutLongStrings(text: string): string {
  return text.replace(COMMENT_OR_STRING, (found) =>
    /^(?:"""|''')/.test(found) ? found.replace(/[^\r\n]/g, "x") : found,
  );
}

/** The configuration of a model. A reply may use a quarter of the context window. */
export function configOf(model: CustomModel): object {
  return { type: "custom", api: "openai-completions", ...model, maxTokens: Math.ceil(model.contextWindow / 4) };
}

/** The text of the table, with ends of lines as in Unix: a new one, or the existing one with the new values. JSON strings are valid TOML strings. */
export function tableText({ name, own }: Where, model: CustomModel): string {
  if (own !== undefined) return renewed(own.lines, model);
  return `[${name}]\n${Object.entries(configOf(model)).map(line).join("")}`;
}

/** The text of the whole file with the table, whose lines end as the others do. */
function written(where: Where, model: CustomModel): string {
  const { text, own } = where;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const table = tableText(where, model).replaceAll("\n", end);
  if (own !== undefined) return text.slice(0, own.at) + table + text.slice(own.at + own.lines.length);
  return text + (text === "" ? "" : text.endsWith("\n") ? end : end + end) + table;
}

/**
 * Adds the table at the end of the file, or replaces the lines of the existing one. Changes no other lines. Throws MODELS_FILE, also if the
 * file has changed since it was read.
 */
export function writeModel(where: Where, model: CustomModel): void {
  const { path, text } = where;
  if (userFile().text !== text) throw errors.MODELS_FILE({ path, reason: "it has changed since it was read" });
  try {
    makeFolder(dirname(path));
    replace(path, written(where, model));
  } catch (thrown) {
    throw errors.MODELS_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Undoes `writeModel`: restores the earlier text of the file. Throws MODELS_FILE, also if the file has changed since. */
export function takeBack(where: Where, model: CustomModel): void {
  const { path, text } = where;
  const { text: now } = userFile();
  if (now !== written(where, model))
    throw errors.MODELS_FILE({ path, reason: "it has changed since, so the table stays in it" });
  try {
    if (text === "") remove(path);
    else replace(path, text);
  } catch (thrown) {
    throw errors.MODELS_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Finds the table written earlier for the same model at the same address. */
function ownTable({ provider, id, baseUrl }: CustomModel): Where | undefined {
  const { path, text } = userFile();
  const marks = Object.entries({ type: "custom", provider, id, baseUrl }).map(line);
  const tables = /^\[(model|models\.[\w-]+)\]\r?\n(?:[^[\r\n][^\n]*(?:\n|$))*/gm;
  for (const { 0: found, 1: header, index: at } of withoutLongStrings(text).matchAll(tables)) {
    const name = header as string;
    const lines = text.slice(at, at + found.length);
    const isOwn = marks.every((mark) => `${unixLines(lines)}\n`.includes(`\n${mark}`));
    if (isOwn)
      return { path, name, text, own: { lines, at }, ...(name !== "model" && { alias: name.slice("models.".length) }) };
  }
  return undefined;
}

/** The lines of a table with the model's values. Other lines that the user has added are kept. */
function renewed(own: string, model: CustomModel): string {
  const replaced = ["apiKeyEnv", "contextWindow", "maxTokens"];
  const fresh = Object.entries(configOf(model)).filter(([key]) => replaced.includes(key));
  const kept = unixLines(own)
    .split(/(?<=\n)/)
    .filter((each) => !replaced.includes(each.split(/\s*=/)[0] as string));
  return kept
    .map((each) => (each.startsWith("baseUrl = ") ? `${each.trimEnd()}\n${fresh.map(line).join("")}` : each))
    .join("");
}

const unixLines = (text: string) => text.replaceAll("\r\n", "\n");

const line = ([key, value]: [string, unknown]) => `${key} = ${JSON.stringify(value)}\n`;

function userFile(): { path: string; text: string } {
  const path = join(userDir(), "config.toml");
  try {
    return { path, text: readFileSync(path, "utf8") };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return { path, text: "" };
    throw errors.MODELS_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}
