import type { PluginRow } from "@scorel/extensions/contract";
import type { Finding, HookRow } from "./contract.ts";
import type { Part, Patient } from "./patient.ts";
import { type Ran, run, whole } from "./process.ts";

/** An extension may take ten seconds to load and as many to start, and is named when it takes longer. */
const LIMIT_MS = 25_000;
const LEVELS = ["early", "normal", "late"];

/**
 * Which plugins start, who brought them and how long that took, and who taps which hook. Told by a process of its own: what
 * an extension does there, this one survives.
 */
export async function lookAtPlugins({ cwd, env, options, interrupt, self }: Patient): Promise<Part> {
  const [program, ...args] = self;
  const words = [...args, ...flagsOf(options), "--cwd", cwd, "plugin", "list", "--output", "json"];
  const how = { cwd: "/", env: whole(env), limit: LIMIT_MS, signal: interrupt };
  // The watchdog has named the one whose code never returns.
  const isHopeless = (said: string) => said.includes("blocks the process");
  const ran = await run([program, ...words], { ...how, isHopeless });
  const plugins = rowsIn(ran.stdout);
  if (!plugins) return { findings: silence(ran) };
  const findings = plugins.flatMap(aboutPlugin);
  const broken = findings.some(({ severity }) => severity === "error");
  const count = plugins.filter(({ state }) => state === "loaded").length;
  if (!broken)
    findings.push({ code: "PLUGINS", severity: "ok", what: `${count} plugins start.`, where: "", doNext: "" });
  return { plugins, hooks: hooksOf(plugins), findings };
}

function flagsOf({ preset, trust }: Patient["options"]): string[] {
  return [...(typeof preset === "string" ? ["--preset", preset] : []), ...(trust === true ? ["--trust"] : [])];
}

/** The list is the last that is printed; an extension may have printed before it. */
function rowsIn(stdout: string): PluginRow[] | undefined {
  try {
    return JSON.parse(stdout.slice(stdout.lastIndexOf("\n[\n") + 1)) as PluginRow[];
  } catch {
    return undefined;
  }
}

/** What was said on stderr names the extension, or what is wrong with the configuration. */
function silence({ late, code, reason, stderr }: Ran): Finding[] {
  const said = stderr.trim();
  const where = "";
  if (late) {
    const what = ["Not all plugins start:", said || `there was no end of it within ${LIMIT_MS / 1000} s`].join("\n");
    const doNext = "Move the files of ~/.scorel/extensions away one by one, until it starts.";
    return [{ code: "PLUGINS_LATE", severity: "error", what, where, doNext }];
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
        doNext: `Mend it (\`scorel plugin check\` helps), or switch it off: without = ["${id}"]`,
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

/** The layers of each hook as they run: by level, then in the order in which they came. */
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
