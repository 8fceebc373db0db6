import type { ExtensionFile, PluginRow } from "@scorel/extensions/contract";
import type { Notice } from "@scorel/host/contract";
import { type AnyPlugin, codeOf, type Kernel } from "@scorel/kernel";
import { loadTimes, shipped } from "../catalogue.ts";
import { errors } from "../errors.ts";
import { packagesOf } from "../layers/layers.ts";
import { isExtensionOff, isLeftOut } from "../layers/merge.ts";
import type { Asked } from "./asked.ts";
import { requestFor } from "./composition.ts";
import { extensionEntries } from "./extension-entries.ts";
import { findExtensions } from "./extension-files.ts";
import { contributions } from "./hints.ts";
import type { Rehearsal, Seen } from "./rehearsal.ts";
import { type Resolution, resolve } from "./resolution.ts";

const nothing = { provides: [], needs: [], hooks: [], taps: [], events: [], contributes: [] };

/** Every plugin of this run; those of sessions by opening one that is not kept. */
export async function readRows(asked: Asked, rehearsal: Rehearsal, kernel: Kernel): Promise<PluginRow[]> {
  const request = await requestFor(asked, asked.cwd);
  const resolution = await resolve(request);
  const found = await findExtensions(
    request.project,
    packagesOf(resolution.merged.layers),
    isLeftOut(resolution.merged),
  );
  let problems: readonly Notice[] = [];
  const seen = await rehearsal.watch(async () => {
    problems = await openOnce(kernel, asked.cwd);
  });
  const rows = shippedRows(resolution, seen, kernel);
  for (const file of found.extensions) rows.push(await extensionRow(file, { resolution, seen, problems, kernel }));
  rows.push(...found.shadowed.map((file) => shadowedRow(file, found.extensions)));
  for (const { id, why } of found.idle)
    rows.push({
      id,
      of: "project",
      origin: request.project?.dir ?? "",
      scope: "session",
      state: "untrusted",
      reason: why,
      ...nothing,
    });
  const listed = new Set(rows.map(({ origin }) => origin));
  for (const { origin, message } of found.problems.filter((problem) => !listed.has(problem.origin)))
    rows.push({
      id: idOf(message),
      of: "user",
      origin,
      scope: "session",
      state: "broken",
      reason: message,
      ...nothing,
    });
  return rows;
}

/** What was left out of a session, and what failed in it. */
async function openOnce(kernel: Kernel, cwd: string): Promise<Notice[]> {
  const host = kernel.find("host");
  if (!host) throw errors.CONFIG_NO_HOST();
  const client = host.connect();
  try {
    const { sessionId } = await client.request("create_session", { cwd, unsaved: true });
    // Commands are looked at when somebody asks for them; what is wrong with them is then among the notices.
    await client.request("list_commands", { sessionId }).catch((thrown: unknown) => {
      if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    });
    const { notices } = await client.request("get_status", { sessionId });
    await client.request("close_session", { sessionId });
    return notices;
  } finally {
    await client.close();
  }
}

function shippedRows({ merged, plugins }: Resolution, seen: ReadonlyMap<string, Seen>, kernel: Kernel): PluginRow[] {
  const used = [...merged.use].flatMap(([id, origin]): PluginRow[] => {
    const plugin = plugins.get(id);
    const known = shipped(id);
    if (!plugin || !known) return [];
    const started = seen.get(id);
    return [
      {
        id,
        of: "shipped",
        origin,
        scope: known.scope,
        state: "loaded",
        ...time(started?.startMs),
        ...timesOf(plugin, kernel, started),
        ...facts(plugin, started),
      },
    ];
  });
  const off = [...merged.without].filter(([id]) => shipped(id));
  return [
    ...used,
    ...off.map(
      ([id, origin]): PluginRow => ({
        id,
        of: "shipped",
        origin,
        scope: shipped(id)?.scope ?? "session",
        state: "off",
        reason: `switched off in ${origin}`,
        ...nothing,
      }),
    ),
  ];
}

function shadowedRow({ id, path, of }: ExtensionFile, taken: readonly ExtensionFile[]): PluginRow {
  const winner = taken.find((extension) => extension.id === id)?.path;
  return { id, of, origin: path, scope: "session", state: "unused", reason: `${winner} has the same id`, ...nothing };
}

interface Known {
  resolution: Resolution;
  seen: ReadonlyMap<string, Seen>;
  problems: readonly Notice[];
  kernel: Kernel;
}

async function extensionRow(file: ExtensionFile, known: Known): Promise<PluginRow> {
  const { id, path: origin, of } = file;
  const { resolution, seen, problems, kernel } = known;
  const row = { id, of, origin, scope: "session" as const, ...nothing };
  const off = resolution.merged.without.get(id);
  if (off !== undefined && isExtensionOff(resolution.merged, id))
    return { ...row, state: "off", reason: `switched off in ${off}` };
  const problem = problems.find((each) => each.origin === origin && each.code !== "EXTENSION_FIELDS");
  const state = problem?.code === "EXTENSION_HELD" ? "unused" : "broken";
  if (problem) return { ...row, state, reason: problem.message };
  const started = seen.get(id);
  if (started)
    return {
      ...row,
      ...stateOf(started, problems),
      ...timesOf(started.plugin, kernel, started),
      ...facts(started.plugin, started),
    };
  const [host] = (await extensionEntries(resolution, [file], "host")).entries;
  if (!host) return { ...row, state: "unused", reason: "it was found and not taken into the session" };
  const failed = kernel.failures.find(({ plugin, where }) => plugin === id && where === "start");
  const outcome = failed ? { state: "broken" as const, reason: failed.message } : { state: "loaded" as const };
  const times = { ...time(loadTimes.get(host.plugin)), ...timesOf(host.plugin, kernel) };
  return { ...row, ...outcome, scope: "host", ...times, ...facts(host.plugin) };
}

function stateOf({ plugin, startMs, failure }: Seen, problems: readonly Notice[]) {
  const loadMs = time((loadTimes.get(plugin) ?? 0) + (startMs ?? 0));
  const left = problems.find(({ origin, message }) => origin === "start" && message.includes(`"${plugin.id}"`));
  const reason = failure ?? left?.message;
  if (reason !== undefined) return { state: "broken" as const, reason, ...loadMs };
  const flaws = problems.filter(({ message }) => isAbout(message, plugin.id)).map(({ message }) => message);
  return { state: "loaded" as const, ...(flaws.length > 0 && { reason: flaws.join("\n") }), ...loadMs };
}

/** When it started and how long each step took: a plugin of the host did so before anybody looked. */
function timesOf(plugin: AnyPlugin, { started }: Kernel, seen?: Seen): Pick<PluginRow, "readMs" | "startMs" | "order"> {
  const at = started.findIndex((each) => each.plugin === plugin.id);
  const order = at >= 0 ? at + 1 : seen?.order && started.length + seen.order;
  const startMs = at >= 0 ? started[at]?.ms : seen?.startMs;
  const readMs = loadTimes.get(plugin);
  return {
    ...(readMs !== undefined && { readMs: rounded(readMs) }),
    ...(startMs !== undefined && { startMs: rounded(startMs) }),
    ...(order !== undefined && { order }),
  };
}

function facts(plugin: AnyPlugin, seen?: Seen) {
  const has = (name: string) => typeof (plugin as unknown as Record<string, unknown>)[name] === "function";
  return {
    provides: plugin.provides ?? [],
    needs: plugin.needs ?? [],
    hooks: [...new Set(seen?.taps.map(({ hook }) => hook))],
    taps: seen?.taps ?? [],
    events: Object.keys(plugin.events ?? {}),
    contributes: contributions.filter(has),
  };
}

/** Whether a notice is about something in an extension that runs otherwise. */
function isAbout(message: string, id: string): boolean {
  return message.startsWith(`plugin "${id}" failed in `) || message.startsWith(`Extension "${id}" has `);
}

function time(ms: number | undefined): { loadMs?: number } {
  return ms === undefined ? {} : { loadMs: rounded(ms) };
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Messages about an extension name it first. */
function idOf(message: string): string {
  return /"([^"]+)"/.exec(message)?.[1] ?? "?";
}
