import type { PluginRow } from "@scorel/extensions/contract";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding, HookRow } from "./contract.ts";
import { type Ran, run, whole } from "./process.ts";

/** Enough for an extension's limits (10 seconds to load and 10 to start), so that a slow one is named. */
const LIMIT_MS = 25_000;
/** Plugins do not start, and may block a process that loads them. */
export const LATE = "PLUGINS_LATE";
const LEVELS = ["early", "normal", "late"];

/**
 * Checks which plugins start, their origin and start times, and which plugins have layers on which hook. Runs in a separate process, so that
 * this one survives a faulty extension.
 */
export async function checkPlugins({ cwd, env, options, interrupt, self }: CheckContext): Promise<Part> {
  const [program, ...args] = self;
  const words = [...args, ...flagsOf(options), "--cwd", cwd, "plugin", "list", "--output", "json"];
  const how = { cwd: "/", env: whole(env), limit: LIMIT_MS, signal: interrupt };
  // The watchdog has named an extension that blocks the process.
  const isHopeless = (said: string) => said.includes("blocks the process");
  const ran = await run([program, ...words], { ...how, isHopeless });
  const plugins = rowsIn(ran.stdout);
  if (!plugins) return { findings: explainMissingList(ran) };
  const findings = plugins.flatMap(aboutPlugin);
  const broken = findings.some(({ severity }) => severity === "error");
  const count = plugins.filter(({ state }) => state === "loaded").length;
  if (!broken)
    findings.push({ code: "PLUGINS", severity: "ok", what: `${count} plugins start.`, where: "", doNext: "" });
  return { plugins, hooks: hooksOf(plugins), findings };
}

function flagsOf({ preset, trust }: CheckContext["options"]): string[] {
  return [...(typeof preset === "string" ? ["--preset", preset] : []), ...(trust === true ? ["--trust"] : [])];
}

/** Parses the plugin list, which is printed last; an extension may print before it. */
function rowsIn(stdout: string): PluginRow[] | undefined {
  try {
    return JSON.parse(stdout.slice(stdout.lastIndexOf("\n[\n") + 1)) as PluginRow[];
  } catch {
    return undefined;
  }
}

/** Explains a missing list by stderr, which names the extension or the configuration error. */
function explainMissingList({ late, code, reason, stderr }: Ran): Finding[] {
  const said = stderr.trim();
  const where = "";
  if (late) {
    const what = ["Not all plugins start:", said || `it did not end within ${LIMIT_MS / 1000} s`].join("\n");
    const [, file] = /blocks the process: .* in .* \((\/.*):\d+\);/.exec(said) ?? [];
    const remedy =
      file === undefined
        ? "Move the files of ~/.scorel/extensions away one by one, until it starts."
        : `Correct ${file}, or move it away.`;
    return [{ code: LATE, severity: "error", what, where, doNext: `${remedy} Then run \`scorel doctor\` again.` }];
  }
  const what = `The plugins do not start: ${said || reason || `exit ${code}`}`;
  return [{ code: "PLUGINS_FAILED", severity: "error", what, where, doNext: "Correct what it names." }];
}

function aboutPlugin({ id, state, reason = "", origin, scope }: PluginRow): Finding[] {
  if (state === "broken")
    return [
      {
        code: "PLUGIN_BROKEN",
        severity: "error",
        what: reason.includes("is left out") ? reason : `"${id}" is left out: ${reason}`,
        where: origin,
        doNext: `Fix it (\`scorel plugin check --load ${origin}\` says what is wrong), or switch it off: without = ["${id}"]`,
      },
    ];
  if (state === "untrusted")
    return [
      {
        code: "PLUGIN_UNTRUSTED",
        severity: "note",
        what: `"${id}" is not loaded: it is ${reason}.`,
        where: origin,
        doNext: "scorel trust add",
      },
    ];
  if (state === "off" && scope === "session")
    return [
      {
        code: "PLUGIN_OFF",
        severity: "note",
        what: `"${id}" is ${reason || "switched off"}.`,
        where: origin,
        doNext: "",
      },
    ];
  if (state === "unused")
    return [
      { code: "PLUGIN_UNUSED", severity: "note", what: `"${id}" is not loaded: ${reason}`, where: origin, doNext: "" },
    ];
  return [];
}

/** Returns the layers of each hook in running order: by level, then by load order. */
function hooksOf(plugins: readonly PluginRow[]): HookRow[] {
  const taps = plugins.flatMap(({ id, taps }) => taps.map((tap) => ({ ...tap, plugin: id })));
  taps.sort((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || a.order - b.order);
  const names = [...new Set(taps.map(({ hook }) => hook))].sort();
  return names.map((hook) => ({
    hook,
    layers: taps
      .filter((tap) => tap.hook === hook)
      .map(({ plugin, level, critical, limit }) => ({ plugin, level, critical, limit })),
  }));
}
