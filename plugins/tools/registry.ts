import { type BaseContext, messageOf } from "@scorel/kernel";
import { claim } from "@scorel/kit/values/claims";
import { nearest } from "@scorel/kit/values/nearest";
import type { Tool } from "./contract.ts";
import { APPROVALS } from "./declared.ts";
import { errors } from "./errors.ts";

export interface Contributed {
  name: string;
  plugin: string;
  tool: Tool;
  replaces: boolean;
  preferred: boolean;
  report: Flaw;
}

type Flaw = (thrown: unknown) => void;

/**
 * The usable tools of all plugins, in load order. `replace` contains the names for which the configuration prefers a
 * later plugin's tool. Unusable tools, and tools whose name is already taken, are reported.
 */
export function gather(ctx: Pick<BaseContext, "collect">, replace: readonly string[]): Contributed[] {
  const admitted = new Map<string, Contributed>();
  ctx.collect("tools", (value, plugin, flaw, replaces) => {
    for (const tool of toolsOf(value)) admit({ plugin, tool, replaces, preferred: replace }, admitted, flaw);
  });
  return [...admitted.values()];
}

function toolsOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

interface Candidate {
  plugin: string;
  tool: unknown;
  /** Names of tools that the candidate's plugin replaces. */
  replaces: readonly string[];
  /** Names for which the configuration prefers a later plugin's tool. */
  preferred: readonly string[];
}

function admit({ plugin, tool, ...named }: Candidate, admitted: Map<string, Contributed>, report: Flaw): void {
  const reason = flawOf(tool);
  const name = nameOf(tool);
  if (reason !== undefined) {
    report(errors.TOOL_INVALID({ plugin, name, reason }));
    return;
  }
  const replaces = (tool as Tool).replaces === true || named.replaces.includes(name);
  const preferred = named.preferred.includes(name);
  claim(admitted, { plugin, name, tool: tool as Tool, replaces, preferred, report }, errors.TOOL_DUPLICATE);
}

const OPTIONAL_FUNCTIONS = ["finds", "access", "reads", "about", "prepareArguments", "display"];
export const TOOL_FIELDS = [
  ...[
    "name",
    "label",
    "description",
    "parameters",
    "execute",
    "approval",
    "replaces",
    "advertised",
    "unlisted",
    "position",
  ],
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
  if (tool.parameters === undefined) flaws.push(missing("parameters", "; use an empty object schema if it takes none"));
  if (typeof tool.execute !== "function") flaws.push(missing("execute"));
  return flaws;
}

function optionalFlaws(tool: Record<string, unknown>): string[] {
  const flaws: string[] = [];
  if (tool.replaces !== undefined && typeof tool.replaces !== "boolean")
    flaws.push("its replaces is neither true nor false");
  if (tool.approval !== undefined && typeof tool.approval !== "function" && !APPROVALS.includes(tool.approval as never))
    flaws.push('its approval is neither "free", "ask" or "always-ask" nor a function');
  if (tool.position !== undefined && !Number.isFinite(tool.position)) flaws.push("its position is not a number");
  if (tool.advertised !== undefined && !isSchema(tool.advertised))
    flaws.push("its advertised is not a JSON Schema of an object");
  for (const key of OPTIONAL_FUNCTIONS)
    if (tool[key] !== undefined && typeof tool[key] !== "function") flaws.push(`its ${key} is not a function`);
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
export function usable<T>(
  { plugin, tool }: Contributed,
  make: (tool: Tool) => T,
  report: (thrown: unknown, plugin: string) => void,
): T[] {
  try {
    return [make(tool)];
  } catch (thrown) {
    report(errors.TOOL_INVALID({ plugin, name: tool.name, reason: messageOf(thrown) }, { cause: thrown }), plugin);
    return [];
  }
}
