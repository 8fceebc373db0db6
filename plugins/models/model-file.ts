import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { errors } from "./errors.ts";

/** A model of a custom server. */
export interface CustomModel {
  provider: string;
  id: string;
  baseUrl: string;
  apiKeyEnv?: string;
  contextWindow: number;
}

/** The table that a model is added as: `[model]`, or `[models.<alias>]` when there is a `[model]` already. */
export interface Where {
  path: string;
  name: string;
  alias?: string;
  /** What the file contains; "" when there is none. */
  text: string;
}

/** Finds the table for a model in the user's configuration. Throws MODELS_FILE. */
export function whereFor(provider: string): Where {
  const path = join(userDir(), "config.toml");
  const text = contentOf(path);
  if (!/^\s*(?:\[\s*)?"?model"?\s*[\].=]/m.test(text)) return { path, name: "model", text };
  if (/^\s*"?models"?\s*=/m.test(text))
    throw errors.MODELS_FILE({ path, reason: 'it has "models = …", which a table cannot be added to' });
  const taken = new Set(Array.from(text.matchAll(/^\s*\[\s*models\s*\.\s*"?([\w-]+)/gm), ([, alias]) => alias));
  const base = /^[a-z]/.test(provider) ? provider.replaceAll("_", "-") : `server-${provider}`;
  const alias = [base, ...Array.from({ length: 99 }, (_, at) => `${base}-${at + 2}`)].find((each) => !taken.has(each));
  return { path, name: `models.${alias}`, alias: alias as string, text };
}

/** The configuration of a model. A reply may take a quarter of its window. */
export function configOf(model: CustomModel): object {
  return { type: "custom", api: "openai-completions", ...model, maxTokens: Math.ceil(model.contextWindow / 4) };
}

/** The table as it is written. A text in JSON is one in TOML, too. */
export function tableText(name: string, model: CustomModel): string {
  const lines = Object.entries(configOf(model)).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `[${name}]\n${lines.join("")}`;
}

/** Adds the table at the end of the file, whose other lines stay as they are. Throws MODELS_FILE. */
export function addModel({ path, name, text }: Where, model: CustomModel): void {
  const before = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, before + tableText(name, model), { mode: 0o600 });
  } catch (thrown) {
    throw errors.MODELS_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw errors.MODELS_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}
