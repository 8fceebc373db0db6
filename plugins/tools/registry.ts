import { messageOf } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import type { Tool } from "./contract.ts";
import { errors } from "./errors.ts";

export interface Contributed {
  plugin: string;
  tool: Tool;
}

/** Reports a problem with a plugin's contribution or, without a plugin, with the configuration. */
export type Report = (thrown: unknown, plugin?: string) => void;

/** The usable tools of all plugins in load order. Problems with others are reported. */
export function gather(
  collected: readonly { plugin: string; value: unknown }[],
  replace: readonly string[],
  report: Report,
): Contributed[] {
  const admitted = new Map<string, Contributed>();
  for (const { plugin, value } of collected)
    for (const tool of toolsOf(value)) admit({ plugin, tool }, { admitted, replace, report });
  return [...admitted.values()];
}

function toolsOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

interface Admission {
  admitted: Map<string, Contributed>;
  /** Names of tools that the configuration allows a later plugin to replace. */
  replace: readonly string[];
  report: Report;
}

/** Admits a tool. The first one of a name wins, unless the later one or the configuration says that it replaces it. */
function admit({ plugin, tool }: { plugin: string; tool: unknown }, { admitted, replace, report }: Admission): void {
  const reason = flawOf(tool);
  const name = nameOf(tool);
  const owner = admitted.get(name)?.plugin;
  const { replaces } = Object(tool) as Partial<Tool>;
  const isReplacing = owner !== plugin && (replaces === true || replace.includes(name));
  if (reason !== undefined) report(errors.TOOL_INVALID({ plugin, name, reason }), plugin);
  else if (owner !== undefined && !isReplacing) report(errors.TOOL_DUPLICATE({ plugin, name, owner }), plugin);
  else admitted.set(name, { plugin, tool: tool as Tool });
}

const OPTIONAL_FUNCTIONS = ["access", "reads", "prepareArguments", "display"];
export const TOOL_FIELDS = [
  ...["name", "label", "description", "parameters", "execute", "replaces", "advertised", "unlisted"],
  ...OPTIONAL_FUNCTIONS,
];

/** All problems that keep a value from being a tool. */
function flawOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "it is not an object";
  const tool = value as Record<string, unknown>;
  const strange = Object.keys(tool).filter((key) => !TOOL_FIELDS.includes(key));
  const flaws = [...requiredFlaws(tool, strange), ...optionalFlaws(tool)];
  return flaws.length === 0 ? undefined : flaws.join("; ");
}

function requiredFlaws(tool: Record<string, unknown>, strange: readonly string[]): string[] {
  const missing = (field: string, advice = "") => {
    const written = nearest(field, strange);
    return `it has no ${field}${field === "execute" ? " function" : ""}${written === undefined ? advice : meant(written, field)}`;
  };
  const flaws: string[] = [];
  if (tool.name === undefined) flaws.push(missing("name"));
  else if (typeof tool.name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
    flaws.push("its name must be 1 to 64 letters, digits, _ or -");
  if (typeof tool.description !== "string" || tool.description === "") flaws.push(missing("description"));
  if (tool.parameters === undefined)
    flaws.push(missing("parameters", "; give an empty object schema when it takes none"));
  if (typeof tool.execute !== "function") flaws.push(missing("execute"));
  return flaws;
}

function optionalFlaws(tool: Record<string, unknown>): string[] {
  const flaws: string[] = [];
  if (tool.replaces !== undefined && typeof tool.replaces !== "boolean")
    flaws.push("its replaces is neither true nor false");
  if (tool.advertised !== undefined && !isSchema(tool.advertised))
    flaws.push("its advertised is no JSON Schema of an object");
  for (const key of OPTIONAL_FUNCTIONS)
    if (tool[key] !== undefined && typeof tool[key] !== "function") flaws.push(`its ${key} is no function`);
  return flaws;
}

/** A hint about a misspelled field. */
function meant(written: string, field: string): string {
  return `; it has ${JSON.stringify(written)}, which is probably meant to be "${field}"`;
}

function isSchema(value: unknown): boolean {
  return typeof value === "object" && (value as { type?: unknown } | null)?.type === "object";
}

function nameOf(tool: unknown): string {
  const name = (tool as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" ? name : "?";
}

/** A prepared tool; on failure, an empty list and a report. */
export function usable<T>({ plugin, tool }: Contributed, make: (tool: Tool) => T, report: Report): T[] {
  try {
    return [make(tool)];
  } catch (thrown) {
    report(errors.TOOL_INVALID({ plugin, name: tool.name, reason: messageOf(thrown) }, { cause: thrown }), plugin);
    return [];
  }
}
