import type { MarkdownFile } from "@scorel/kit/markdown/front-matter";
import { lineOf } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import type { Mode } from "@scorel/permissions/contract";
import type { AgentDefinition } from "../contract.ts";

/** The source and the file of a definition, and its name if the file does not set one. */
export type Origin = Pick<AgentDefinition, "source" | "file"> & { otherwise: string };

const USABLE_NAME = /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/i;
const TOOL_NAME = /^[A-Za-z][\w-]{0,127}$/;
const SKILL_NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]{0,126}[\p{L}\p{N}])?$/u;
/** Most skills that one message can load. */
const MOST_SKILLS = 8;

/** Permission modes, by the names that Scorel and other agents use. */
const MODES: Readonly<Record<string, Mode>> = {
  ...{ plan: "plan", ask: "ask", edits: "edits", full: "full" },
  ...{ default: "ask", acceptEdits: "edits", bypassPermissions: "full" },
};
/** Model names of other agents that depend on their provider. They select the parent's model. */
const PARENTS_MODEL: ReadonlySet<string> = new Set(["inherit", "sonnet", "opus", "haiku"]);

/**
 * Makes a definition from a file, or returns why it is invalid. A key that could restrict the subagent must be understood; otherwise the
 * file is invalid.
 */
export function definitionOf(file: MarkdownFile, { otherwise, ...origin }: Origin): AgentDefinition | string {
  try {
    const keys = keysOf(file);
    const name = textOf(keys, "name") ?? otherwise;
    if (!USABLE_NAME.test(name))
      return `its name ${JSON.stringify(lineOf(name))} is not one word of letters and digits`;
    const description = lineOf(textOf(keys, "description") ?? "");
    if (description === "") return 'it has no "description", by which the model chooses it';
    const prompt = plainText(file.body).trim();
    if (prompt === "") return "it has no text below its front matter, which is the prompt";
    return { ...origin, name, description, prompt, ...limitsOf(keys) };
  } catch (thrown) {
    if (thrown instanceof Unusable) return thrown.message;
    throw thrown;
  }
}

/** Thrown with the reason why a definition is invalid. */
class Unusable extends Error {}

type Keys = ReadonlyMap<string, unknown>;

/** Other names of keys. `permissionMode`, `permission-mode` and `permission_mode` are the same key. */
const ALIASES: Readonly<Record<string, string>> = {
  permissionmode: "permission",
  allowedtools: "tools",
};

function keysOf({ fields }: MarkdownFile): Keys {
  const keys = new Map<string, unknown>();
  for (const [given, { value }] of fields) {
    const plain = given.toLowerCase().replace(/[-_]/g, "");
    const key = ALIASES[plain] ?? plain;
    if (keys.has(key)) throw new Unusable(`it sets ${JSON.stringify(key)} twice`);
    keys.set(key, value);
  }
  return keys;
}

function limitsOf(
  keys: Keys,
): Pick<AgentDefinition, "model" | "tools" | "withoutTools" | "permission" | "skills" | "isolation" | "background"> {
  const model = textOf(keys, "model");
  const tools = listOf(keys, "tools", TOOL_NAME, '"tools" lists names of tools');
  const without = listOf(keys, "disallowedtools", TOOL_NAME, '"disallowedTools" lists names of tools');
  const skills = listOf(keys, "skills", SKILL_NAME, '"skills" lists names of skills');
  if ((skills?.length ?? 0) > MOST_SKILLS) throw new Unusable(`it names more than ${MOST_SKILLS} skills`);
  const permission = modeOf(textOf(keys, "permission"));
  return {
    ...(model !== undefined && !PARENTS_MODEL.has(model) && { model }),
    ...(tools && { tools }),
    ...(without && { withoutTools: without }),
    ...(permission && { permission }),
    ...(skills && { skills }),
    ...(isIsolated(textOf(keys, "isolation")) && { isolation: "worktree" as const }),
    ...(isBackground(keys.get("background")) && { background: true as const }),
  };
}

/** An unknown kind of isolation is an error, since the author may rely on it. */
function isIsolated(given: string | undefined): boolean {
  if (given === undefined || given === "none") return false;
  if (given !== "worktree") throw new Unusable(`its isolation ${JSON.stringify(lineOf(given))} is not "worktree"`);
  return true;
}

function isBackground(given: unknown): boolean {
  if (given === undefined) return false;
  const text = String(given).trim().toLowerCase();
  if (text !== "true" && text !== "false") throw new Unusable('its "background" is neither true nor false');
  return text === "true";
}

function modeOf(given: string | undefined): Mode | undefined {
  if (given === undefined) return undefined;
  const mode = Object.hasOwn(MODES, given) ? MODES[given] : undefined;
  if (!mode)
    throw new Unusable(
      `its permission mode ${JSON.stringify(lineOf(given))} is not one of ${Object.keys(MODES).join(", ")}`,
    );
  return mode;
}

function textOf(keys: Keys, key: string): string | undefined {
  const value = keys.get(key);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw new Unusable(`its ${JSON.stringify(key)} is not text`);
  return value.trim() === "" ? undefined : value.trim();
}

/** Reads names from a list, or from a string with commas. An empty string is an error: it could mean all or none. */
function listOf(keys: Keys, key: string, valid: RegExp, wanted: string): string[] | undefined {
  const value = keys.get(key);
  if (value === undefined || value === "*") return undefined;
  const given: unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : [value];
  const names = given.map((each) => (typeof each === "string" ? each.trim() : ""));
  const wrong = names.findIndex((name) => !valid.test(name));
  if (wrong >= 0) throw new Unusable(`${wanted}, and ${JSON.stringify(lineOf(names[wrong] as string))} is not one`);
  return [...new Set(names)];
}
