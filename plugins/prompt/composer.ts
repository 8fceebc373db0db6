import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PluginContext } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type {} from "@scorel/model/contract";
import type { z } from "zod";
import { assemble, SHARE, tokensIn } from "./assemble.ts";
import type { config } from "./config.ts";
import type { InstructionSnapshot } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Found, findFragments, findInstructions, type InstructionFile } from "./instruction-files.ts";
import { BASE, baseParts, type Part, PRESET, PROJECT, SECTIONS, USER } from "./parts.ts";

export type PromptContext = PluginContext<z.output<typeof config>>;

/** Composes the system prompt from the current sources. `appended` is put at its end. */
export function compose(ctx: PromptContext, appended = ""): InstructionSnapshot {
  const { parts, skipped } = authoredParts(ctx);
  const date = today();
  const own = baseParts({ ...placeOf(ctx), platform: process.platform, date });
  const all = [...own, ...parts, ...pluginParts(ctx)].map((part) => ({ ...part, text: redacted(ctx, part.text) }));
  const budget = budgetOf(ctx);
  return {
    ...assemble(all, budget === undefined ? undefined : budget - tokensIn(appended)),
    ...(appended !== "" && { appended }),
    date,
    ...(budget !== undefined && { budget }),
    skipped,
  };
}

/** Collects the parts written by people: the user's own text, instructions of presets, and instruction files. */
export function authoredParts(ctx: PromptContext): { parts: Part[]; skipped: Found["skipped"] } {
  const { files, skipped } = filesOf(ctx);
  const fragments = findFragments(ctx.find("workspace")?.packages ?? []);
  const words = ctx.config.user.trim();
  const own: Part = {
    section: "agents",
    priority: USER,
    source: "[prompt] user",
    text: words,
    sha256: sha256Of(words),
  };
  const parts = [
    ...(words === "" ? [] : [own]),
    ...fragments.files.map((file) => partOf(file, PRESET)),
    ...files.map((file) => partOf(file, PROJECT)),
  ];
  return { parts, skipped: [...fragments.skipped, ...skipped] };
}

function partOf({ path, ...file }: InstructionFile, priority: number): Part {
  return { section: "agents", priority, source: path, file: true, ...file };
}

/** Returns today's date in local time, as YYYY-MM-DD. */
export function today(): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function filesOf(ctx: PromptContext): Found {
  const workspace = ctx.find("workspace");
  if (!workspace) return { files: [], skipped: [] };
  const { home, trusted, trustedCopy } = workspace;
  return findInstructions({ ...placeOf(ctx), home, trusted, copy: trustedCopy?.scorel });
}

/** The session's working directory, and the git root above it. */
export function placeOf(ctx: PromptContext): { cwd: string; gitRoot?: string } {
  const { cwd = process.cwd(), root } = ctx.find("workspace") ?? {};
  return { cwd, ...(root !== undefined && existsSync(join(root, ".git")) && { gitRoot: root }) };
}

/** Collects the parts that plugins add. Invalid ones are reported and left out. */
function pluginParts(ctx: PromptContext): Part[] {
  return ctx.collect("promptParts").flatMap(({ plugin, value }) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((given) => {
      const part = { source: plugin, ...(given as object) } as Part;
      const reason = flawOf(part);
      if (reason === undefined)
        return { section: part.section, priority: part.priority, source: part.source, text: part.text.trim() };
      ctx.report("promptParts", errors.PROMPT_PART({ plugin, reason }), plugin);
      return [];
    }),
  );
}

function flawOf({ section, priority, source, text }: Part): string | undefined {
  if (!(SECTIONS as readonly string[]).includes(section)) return `there is no section ${JSON.stringify(section)}`;
  if (typeof priority !== "number" || !(priority >= 1 && priority < BASE)) return "its priority is not from 1 to 99";
  if (typeof source !== "string") return "its source is not text";
  return typeof text === "string" && text.trim() !== "" ? undefined : "it has no text";
}

/** Returns the token budget; undefined without a model. */
export function budgetOf(ctx: PromptContext): number | undefined {
  try {
    const window = ctx.find("model")?.current().contextWindow;
    return window === undefined ? undefined : Math.floor(window * SHARE);
  } catch {
    return undefined;
  }
}

/** Redacts known secrets, so that none reaches the log through a file or an option. */
export function redacted(ctx: PromptContext, text: string): string {
  return ctx.find("secrets")?.redact(text) ?? text;
}
