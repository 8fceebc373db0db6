import type { AnyPlugin } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import { isTable } from "@scorel/kit/values/table";
import { errors } from "../errors.ts";

type ManifestCheck = typeof import("@scorel/extensions/manifest-flaws");

const FIELDS = ["plugins", "replies", "use", "config", "answer", "cwd"];

/** Throws TESTING_OPTIONS with all mistakes in the options of openSession. */
export function assertOptions(options: unknown): void {
  const flaws = isTable(options) ? optionFlaws(options) : ["they are not an object"];
  if (flaws.length > 0) throw errors.TESTING_OPTIONS({ flaws });
}

function optionFlaws(options: Record<string, unknown>): string[] {
  const { plugins, replies = [], use = [], config = {}, answer, cwd } = options;
  return [
    ...Object.keys(options).flatMap((name) => (FIELDS.includes(name) ? [] : [unknown(name)])),
    ...(Array.isArray(plugins) && plugins.every((plugin) => typeof plugin === "object" && plugin !== null)
      ? []
      : ['"plugins" is not a list of plugins']),
    ...(Array.isArray(replies) ? replies.flatMap(replyFlaws) : ['"replies" is not a list of replies']),
    ...(isTexts(use) ? [] : ['"use" is not a list of plugin ids']),
    ...(isTable(config) ? [] : ['"config" is not a table']),
    ...(answer === undefined || typeof answer === "function" ? [] : ['"answer" is not a function']),
    ...(cwd === undefined || typeof cwd === "string" ? [] : ['"cwd" is not a path']),
  ];
}

function unknown(name: string): string {
  const near = nearest(name, FIELDS);
  return `there is no option "${name}" (${near === undefined ? `there are ${FIELDS.join(", ")}` : `did you mean "${near}"?`})`;
}

function replyFlaws(reply: unknown, index: number): string[] {
  const parts: unknown[] = Array.isArray(reply) ? reply : [reply];
  const isRight = (part: unknown) =>
    typeof part === "string" || (isTable(part) && typeof part.tool === "string" && isTable(part.args));
  return parts.every(isRight) ? [] : [`reply ${index + 1} is neither a text nor toolCall(…), nor a list of these`];
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** The mistakes in the manifests of plugins under test. The loader of extensions reports the same. */
export async function flawsOf(plugins: readonly AnyPlugin[]): Promise<string[]> {
  const check = await import("@scorel/extensions/manifest-flaws");
  return plugins.flatMap((plugin) => flawsOfOne(plugin, check));
}

function flawsOfOne(plugin: AnyPlugin, { adviceFor, manifestFlaws, unknownFields }: ManifestCheck): string[] {
  const named = `plugin "${plugin.id}"`;
  return [
    ...manifestFlaws(plugin as unknown as Record<string, unknown>).map((flaw) => `${named}: ${flaw}`),
    ...unknownFields(plugin).map(
      (field) => `${named} has a field "${field.name}", which is not supported: ${adviceFor(field)}`,
    ),
  ];
}
