import type { BaseContext, DisplayAction } from "@scorel/kernel";
import { asDisplay } from "@scorel/kit/text/display";
import { nearest } from "@scorel/kit/values/nearest";
import type {} from "@scorel/model/contract";
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
    names() {
      const isAllowed = allowedIn(ctx);
      const found = [...all().values()].flatMap((row) => foundBy(ctx, row)).filter(isAllowed);
      return [...new Set([...all().keys(), ...found])];
    },
    beginBatch: (calls) => schedule.begin(calls.map(({ id }) => id)),
    settle: (toolCallId) => schedule.settle(toolCallId),
    display(name, args, result, valid = false) {
      const plain = card(name, args, result);
      const { tool, plugin, ready } = all().get(name) ?? {};
      if (!tool?.display || plugin === undefined) return plain;
      // The arguments were rejected as invalid, so the tool's `display` cannot be used.
      if (result?.isError && !valid && !isValid(args, ready)) return plain;
      return ctx.attempt({ plugin, where: `display of tool ${name}`, otherwise: plain }, () => {
        try {
          const drawn = tool.display?.(args, result);
          return drawn ? asDisplay(`tool ${name}`, drawn) : plain;
        } catch (thrown) {
          // Not a fault of the tool: the model has sent invalid arguments, or they are still arriving.
          if (!isValid(args, ready)) return plain;
          throw thrown;
        }
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
  const { allow, without, replace } = ctx.config;
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
  const { tools: named } = ctx.find("workspace") ?? {};
  if (named) assertKnown(named, contributed.map(({ name }) => name).filter(configuredIn(ctx)));
  const isAllowed = allowedIn(ctx);
  const offered = contributed.filter(({ name }) => isAllowed(name));
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
    redact: (text) => ctx.find("secrets")?.redact(text) ?? text,
  };
}

/** Whether the configuration lets the model have a tool. */
function configuredIn({ config: { preset, allow, without } }: BaseContext<Config>): (name: string) => boolean {
  return (name) => !without.includes(name) && (offers(preset, name) || allow.includes(name));
}

/** Whether the model may have a tool according to the configuration, the session's options and its parent. */
function allowedIn(ctx: BaseContext<Config>): (name: string) => boolean {
  const { tools: named, parent } = ctx.find("workspace") ?? {};
  const isConfigured = configuredIn(ctx);
  const inherited = inheritedBy(parent);
  return (name) => isConfigured(name) && (named?.includes(name) ?? true) && inherited.offers(name);
}

/** Names of the tools that a tool says it finds; none if its function fails. */
function foundBy(ctx: BaseContext<Config>, { tool, plugin, name }: Row): readonly string[] {
  return ctx.attempt({ plugin, where: `tool ${name}`, otherwise: [] }, () => tool.finds?.() ?? []);
}

/** Throws TOOL_UNKNOWN for names of tools that the preset does not offer, and that no server may add later. */
function assertKnown(named: readonly string[], known: readonly string[]): void {
  const unknown = named.filter((name) => !known.includes(name) && !isLater(name)).map((name) => `"${name}"`);
  if (unknown.length > 0)
    throw errors.TOOL_UNKNOWN({ names: unknown.join(", "), known: known.join(", ") || "no tools" });
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
