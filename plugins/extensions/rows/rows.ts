import { type AnyPlugin, codeOf, type Kernel } from "@scorel/kernel";
import type { Notice } from "@scorel/workspace/contract";
import type { ExtensionFile, FoundExtensions, PluginRow } from "../contract.ts";
import { errors } from "../errors.ts";
import { collectAll, type Rehearsal, type Seen } from "./rehearsal.ts";

/** A shipped plugin, and the preset and line that names it or switches it off (`origin`). */
interface ShippedPlugin {
  id: string;
  origin: string;
  scope: "host" | "session";
}

/** The plugins and extensions of one run of the command. The loader creates it. */
export interface RunPlugins {
  /** The directory of new sessions. */
  cwd: string;
  /** The shipped plugins in use, in load order. */
  used: readonly (ShippedPlugin & { plugin: AnyPlugin })[];
  off: readonly ShippedPlugin[];
  found: FoundExtensions;
  /** The project's folder; "" outside of one. */
  projectDir: string;
  /** Where an extension is switched off; undefined if it is not. */
  offAt(id: string): string | undefined;
  /** How long it took to read and run a plugin's files, in milliseconds. */
  readMs(plugin: AnyPlugin): number | undefined;
  /** Loads an extension if its scope is "host"; otherwise returns undefined. */
  loadHost(file: ExtensionFile): Promise<AnyPlugin | undefined>;
  /** The names of contributions, such as `tools`. */
  contributions: readonly string[];
}

const nothing = { provides: [], needs: [], hooks: [], taps: [], events: [], contributes: [] };

/** Lists every plugin of this run. Session plugins are found by opening a session that is not saved. */
export async function readRows(run: RunPlugins, rehearsal: Rehearsal, kernel: Kernel): Promise<PluginRow[]> {
  const { found } = run;
  let problems: readonly Notice[] = [];
  const seen = await rehearsal.watch(async () => {
    problems = await openOnce(kernel, run, rehearsal);
  });
  const rows = shippedRows(run, seen, kernel);
  for (const file of found.extensions) rows.push(await extensionRow(file, { run, seen, problems, kernel }));
  rows.push(...found.shadowed.map((file) => shadowedRow(file, found.extensions)));
  for (const { id, why } of found.idle)
    rows.push({
      id,
      of: "project",
      origin: run.projectDir,
      scope: "session",
      state: "untrusted",
      reason: why,
      ...nothing,
    });
  const listed = new Set(rows.map(({ origin }) => origin));
  for (const { plugin, origin, message } of found.problems.filter((problem) => !listed.has(problem.origin)))
    rows.push({
      id: plugin ?? "?",
      of: "user",
      origin,
      scope: "session",
      state: "broken",
      reason: message,
      ...nothing,
    });
  return rows;
}

/** Opens a session and returns its notices about plugins that were left out and about failures. */
async function openOnce(kernel: Kernel, run: RunPlugins, rehearsal: Rehearsal): Promise<Notice[]> {
  const host = kernel.find("host");
  if (!host) throw errors.CONFIG_NO_HOST();
  // With a `clientId`, the client belongs to this process, where the rehearsal watches; a running host would open the session elsewhere.
  const client = host.connect({ clientId: "plugin-list" });
  try {
    const { sessionId } = await client.request("create_session", { cwd: run.cwd, unsaved: true });
    // Commands are read only when they are listed; after that, mistakes in them are among the notices.
    await client.request("list_commands", { sessionId }).catch((thrown: unknown) => {
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    });
    await client.request("list_operations", { sessionId });
    rehearsal.collect();
    collectAll(kernel);
    const { notices } = await client.request("get_status", { sessionId });
    await client.request("close_session", { sessionId });
    return notices;
  } finally {
    await client.close();
  }
}

function shippedRows(run: RunPlugins, seen: ReadonlyMap<string, Seen>, kernel: Kernel): PluginRow[] {
  const used = run.used.map(({ id, origin, scope, plugin }): PluginRow => {
    const started = seen.get(id);
    return {
      id,
      of: "shipped",
      origin,
      scope,
      state: "loaded",
      ...time(started?.startMs),
      ...timesOf(plugin, { run, kernel, seen: started }),
      ...facts(plugin, run, started),
    };
  });
  const off = run.off.map(({ id, origin, scope }): PluginRow => {
    return { id, of: "shipped", origin, scope, state: "off", reason: `switched off in ${origin}`, ...nothing };
  });
  return [...used, ...off];
}

function shadowedRow({ id, path, of }: ExtensionFile, taken: readonly ExtensionFile[]): PluginRow {
  const winner = taken.find((extension) => extension.id === id)?.path;
  return { id, of, origin: path, scope: "session", state: "unused", reason: `${winner} has the same id`, ...nothing };
}

interface Known {
  run: RunPlugins;
  seen: ReadonlyMap<string, Seen>;
  problems: readonly Notice[];
  kernel: Kernel;
}

async function extensionRow(file: ExtensionFile, known: Known): Promise<PluginRow> {
  const { id, path: origin, of, installed } = file;
  const { run, seen, problems, kernel } = known;
  const row = { id, of, origin, scope: "session" as const, ...(installed && { installed }), ...nothing };
  const off = run.offAt(id);
  if (off !== undefined) return { ...row, state: "off", reason: `switched off in ${off}` };
  const problem = problems.find((each) => each.origin === origin && each.code !== "EXTENSION_FIELDS");
  const state = problem?.code === "EXTENSION_HELD" ? "unused" : "broken";
  if (problem) return { ...row, state, reason: problem.message };
  const started = seen.get(id);
  if (started)
    return {
      ...row,
      ...stateOf(started, problems, run),
      ...timesOf(started.plugin, { run, kernel, seen: started }),
      ...facts(started.plugin, run, started),
    };
  const host = await run.loadHost(file);
  if (!host) return { ...row, state: "unused", reason: "it was found and not taken into the session" };
  const failures = kernel.failures.filter(({ plugin }) => plugin === id);
  const failed = failures.find(({ where }) => where === "start");
  const flaws = [...problemsOf(problems, origin), ...failures.map(({ where, message }) => `in ${where}: ${message}`)];
  const reason = failed?.message ?? flaws.join("\n");
  const outcome = { state: failed ? ("broken" as const) : ("loaded" as const), ...(reason !== "" && { reason }) };
  const times = { ...time(run.readMs(host)), ...timesOf(host, { run, kernel }) };
  return { ...row, ...outcome, scope: "host", ...times, ...facts(host, run) };
}

/** Messages about an extension that is loaded nevertheless. */
function problemsOf(problems: readonly Notice[], origin: string): string[] {
  return problems.filter((each) => each.origin === origin).map(({ message }) => message);
}

function stateOf({ plugin, startMs, failure }: Seen, problems: readonly Notice[], { readMs }: RunPlugins) {
  const loadMs = time((readMs(plugin) ?? 0) + (startMs ?? 0));
  const own = problems.filter((each) => each.plugin === plugin.id);
  const left = own.find(({ origin }) => origin === "start");
  const reason = failure ?? left?.message;
  if (reason !== undefined) return { state: "broken" as const, reason, ...loadMs };
  const flaws = own.map(({ message }) => message);
  return { state: "loaded" as const, ...(flaws.length > 0 && { reason: flaws.join("\n") }), ...loadMs };
}

/** Start order and times. Host plugins started earlier, so their values come from the kernel. */
function timesOf(
  plugin: AnyPlugin,
  { run, kernel: { started }, seen }: { run: RunPlugins; kernel: Kernel; seen?: Seen | undefined },
): Pick<PluginRow, "readMs" | "startMs" | "order"> {
  const at = started.findIndex((each) => each.plugin === plugin.id);
  const order = at >= 0 ? at + 1 : seen?.order && started.length + seen.order;
  const startMs = at >= 0 ? started[at]?.ms : seen?.startMs;
  const readMs = run.readMs(plugin);
  return {
    ...(readMs !== undefined && { readMs: rounded(readMs) }),
    ...(startMs !== undefined && { startMs: rounded(startMs) }),
    ...(order !== undefined && { order }),
  };
}

function facts(plugin: AnyPlugin, { contributions }: RunPlugins, seen?: Seen) {
  const of = (source: object | undefined, name: string): unknown =>
    (source as Record<string, unknown> | undefined)?.[name];
  const has = (name: string) => typeof of(plugin, name) === "function" || of(seen?.returned, name) !== undefined;
  return {
    provides: plugin.provides ?? [],
    needs: plugin.needs ?? [],
    hooks: [...new Set(seen?.taps.map(({ hook }) => hook))],
    taps: seen?.taps ?? [],
    events: Object.keys(plugin.events ?? {}),
    contributes: contributions.filter(has),
  };
}

function time(ms: number | undefined): { loadMs?: number } {
  return ms === undefined ? {} : { loadMs: rounded(ms) };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
