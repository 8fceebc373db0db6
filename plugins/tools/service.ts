import type { BaseContext, DisplayAction } from "@scorel/kernel";
import { asDisplay } from "@scorel/kit/text/display";
import { nearest } from "@scorel/kit/values/nearest";
import type { BashSettings, ReadyTool, Tool, ToolOutput, ToolsService } from "./contract.ts";
import { declaredBy } from "./declared.ts";
import { errors } from "./errors.ts";
import { inheritedBy } from "./inherited.ts";
import { offers, type Preset } from "./presets.ts";
import { type Caller, makeReady } from "./ready.ts";
import { type Contributed, gather, usable } from "./registry.ts";
import { textOf } from "./result.ts";
import { Schedule } from "./schedule.ts";
import { createWrappers, type OwnedWrapper } from "./wrappers.ts";

export interface Config {
  preset: Preset;
  allow: string[];
  without: string[];
  replace: string[];
  bash: BashSettings;
}
interface Row extends Contributed {
  ready: ReadyTool;
}

/**
 * Creates the session's tools. They are collected at first use, and again only when a plugin has added or removed some,
 * so that a session's requests always start with the same tools.
 */
export function createTools(ctx: BaseContext<Config>): ToolsService {
  const parts: Parts = { schedule: new Schedule(), wrappers: createWrappers(ctx) };
  const { schedule } = parts;
  let rows: Map<string, Row> | undefined;
  ctx.onContributed("tools", () => {
    rows = undefined;
  });
  const all = () => (rows ??= collectRows(ctx, parts));
  const parent = inheritedBy(ctx.find("workspace")?.parent);
  return {
    get bash() {
      return parent.bash(ctx.config.bash);
    },
    list: () => [...all().values()].map(({ ready }) => ready),
    get: (name) => all().get(name)?.ready,
    beginBatch: (calls) => schedule.begin(calls.map(({ id }) => id)),
    settle: (toolCallId) => schedule.settle(toolCallId),
    display(name, args, result, valid = false) {
      const plain = card(name, args, result);
      const { tool, plugin, ready } = all().get(name) ?? {};
      if (!tool?.display || plugin === undefined) return plain;
      // The arguments were rejected as invalid, so the tool's `display` cannot be used.
      if (result?.isError && !valid && !isValid(args, ready)) return plain;
      return ctx.attempt({ plugin, where: `display of tool ${name}`, otherwise: plain }, () => {
        const drawn = tool.display?.(args, result);
        return drawn ? asDisplay(`tool ${name}`, drawn) : plain;
      });
    },
  };
}

function isValid(args: unknown, ready: ReadyTool | undefined): boolean {
  try {
    ready?.validate(args);
    return true;
  } catch {
    return false; // The result itself says why the arguments are invalid.
  }
}

/** State that all tools of a session share. */
interface Parts {
  schedule: Schedule;
  wrappers(tool: string): readonly OwnedWrapper[];
}

function collectRows(ctx: BaseContext<Config>, { schedule, wrappers }: Parts): Map<string, Row> {
  const { preset, allow, without, replace } = ctx.config;
  const report = (thrown: unknown, plugin?: string) => ctx.report("tools", thrown, plugin);
  const contributed = gather(ctx, replace);
  for (const [key, names] of Object.entries({ allow, without, replace })) {
    const unknown = names.filter((name) => !isLater(name) && !contributed.some(({ tool }) => tool.name === name));
    if (unknown.length > 0)
      report(
        errors.TOOL_NOT_CONTRIBUTED({
          key,
          names: unknown.map((name) => nameWithNearest(name, contributed)).join(", "),
        }),
      );
  }
  const named = ctx.find("workspace")?.tools;
  const inPreset = contributed.filter(
    ({ name }) => !without.includes(name) && (offers(preset, name) || allow.includes(name)),
  );
  const chosen = named ? pick(named, inPreset) : inPreset;
  const offered = chosen.filter(inheritedBy(ctx.find("workspace")?.parent).offers);
  const prepared = (it: Contributed) => (tool: Tool) => {
    const caller = callerFor(ctx, it, () => wrappers(it.name));
    return { ...it, ready: makeReady(tool, { schedule, caller, declared: declaredBy(ctx, it.plugin, tool) }) };
  };
  const rows = offered.flatMap((it) => usable(it, prepared(it), report));
  // Sorted, so that requests do not depend on the load order of plugins.
  return new Map(rows.sort(byPosition).map((row) => [row.tool.name, row]));
}

/** Sorts tools without a position first, by name. */
function byPosition({ tool: a }: Row, { tool: b }: Row): number {
  const [of, other] = [a, b].map(({ position = Number.NEGATIVE_INFINITY }) => position) as [number, number];
  if (of !== other) return of < other ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Tools about MCP servers. They are offered once it is known what the servers have. */
const ABOUT_SERVERS = ["ToolSearch", "ListMcpResources", "ReadMcpResource"];

/** Whether a name belongs to a tool of an MCP server, or about these servers, which may appear while the session runs. */
const isLater = (name: string) => name.startsWith("mcp__") || ABOUT_SERVERS.includes(name);

/** An unknown tool name, with the most similar known one. */
function nameWithNearest(name: string, contributed: readonly Contributed[]): string {
  const near = nearest(
    name,
    contributed.map(({ tool }) => tool.name),
    { partly: true },
  );
  return near === undefined ? `"${name}"` : `"${name}" (did you mean "${near}"?)`;
}

/** Calls a tool's functions on behalf of its plugin. */
function callerFor(ctx: BaseContext, { plugin, name }: Contributed, wrappers: Caller["wrappers"]): Caller {
  return {
    stopping: ctx.session.stopping,
    plugin,
    wrappers,
    callWrapper: (plugin, where, work) => ctx.calls.run(plugin, where, work),
    call: (work) => ctx.calls.run(plugin, `tool ${name}`, work),
    begin: (signal) => ctx.calls.begin(plugin, signal),
    report: (thrown) => ctx.report(`tool ${name}`, thrown, plugin),
  };
}

/** The named tools among those that the preset offers. Throws TOOL_UNKNOWN. */
function pick(named: readonly string[], offered: readonly Contributed[]): Contributed[] {
  const known = offered.map(({ tool }) => tool.name);
  const unknown = named.filter((name) => !known.includes(name) && !isLater(name)).map((name) => `"${name}"`);
  if (unknown.length > 0)
    throw errors.TOOL_UNKNOWN({ names: unknown.join(", "), known: known.join(", ") || "no tools" });
  return offered.filter(({ tool }) => named.includes(tool.name));
}

/** The default view of a call. */
function card(name: string, args: unknown, result: ToolOutput | undefined): DisplayAction {
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  return { display: "card", title: `${name} ${brief(args)}`.trim(), status, text: result ? textOf(result) : "" };
}

function brief(args: unknown): string {
  const text = JSON.stringify(args) ?? "";
  return text === "{}" ? "" : text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
