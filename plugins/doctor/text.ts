import type { PluginRow } from "@scorel/extensions/contract";
import type { SessionHealth } from "@scorel/host/contract";
import type { Finding, HealthReport, HookRow, Severity } from "./contract.ts";

const WIDTH = 80;
/** Indentation of a finding's text. */
const UNDER_MARK = " ".repeat(11);
const MARKS: Readonly<Record<Severity, string>> = { ok: "ok", note: "note", warning: "WARNING", error: "ERROR" };

/** Formats the report for people, with the findings at the end, where they are read. Replaces `home` by `~`. */
export function reportText(report: HealthReport, home = ""): string {
  const {
    scorel,
    system,
    cwd,
    ms,
    programs,
    plugins,
    hooks,
    config,
    folders,
    space,
    sessions,
    model,
    sandbox,
    selftest,
  } = report;
  const sections = [
    [`Scorel ${scorel} on ${system}, in ${cwd} (took ${seconds(ms)})`],
    titled(
      "Programs",
      programs.map(({ name, version, path }) => `${name.padEnd(8)} ${(version ?? "none").padEnd(8)} ${path ?? ""}`),
    ),
    titled("Plugins in start order (milliseconds to read, to start; origin)", pluginLines(plugins ?? [])),
    titled("Hooks with their layers in running order", (hooks ?? []).flatMap(hookLines)),
    titled("Options that are set (all options: scorel config show --explain)", settingLines(config)),
    titled(
      "Folders",
      folders.map(({ path, mode }) => `${mode}  ${path}`),
    ),
    titled("Disk space", space ? [roomLine(space)] : []),
    titled("Latest sessions", (sessions?.latest ?? []).map(sessionLine)),
    titled("Model", model ? modelLines(model) : []),
    titled("Sandbox for programs of skills", sandbox ? sandboxLines(sandbox) : []),
    titled(
      "Self-test",
      (selftest?.steps ?? []).map(({ did, ms: took }) => `${seconds(took).padStart(7)}  ${did}`),
    ),
    titled("Findings", report.findings.flatMap(findingLines), UNDER_MARK),
    [summary(report.findings)],
  ];
  const text = sections
    .filter((section) => section.length > 0)
    .map((section) => section.map((line) => `${line.trimEnd()}\n`).join(""))
    .join("\n");
  return home.length > 1 ? text.replaceAll(new RegExp(`(?<!['"\\w])${escaped(home)}(?=[/\\s]|$)`, "gm"), "~") : text;
}

function titled(title: string, lines: readonly string[], next = "      "): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.flatMap((line) => wrapped(line, "  ", next))];
}

function pluginLines(plugins: readonly PluginRow[]): string[] {
  const started = plugins.filter(({ order }) => order !== undefined).sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const width = Math.max(0, ...started.map(({ id }) => id.length));
  return started.flatMap(({ id, order, scope, readMs = 0, startMs = 0, origin, needs, provides }) => {
    const times = `${readMs.toFixed(1).padStart(6)} ${startMs.toFixed(1).padStart(5)}`;
    const services = [
      needs.length > 0 && `needs ${needs.join(", ")}`,
      provides.length > 0 && `provides ${provides.join(", ")}`,
    ];
    const row = `${String(order).padStart(3)} ${id.padEnd(width)} ${scope.padEnd(7)} ${times}  ${origin}`;
    const said = services.filter(Boolean).join("; ");
    return said === "" ? [row] : [row, `      ${said}`];
  });
}

function hookLines({ hook, layers }: HookRow): string[] {
  return [
    hook,
    ...layers.map(({ plugin, level, critical, limit }) => {
      const within = limit === false ? "no limit" : `${limit / 1000} s`;
      return `  ${level.padEnd(6)}  ${plugin.padEnd(14)}  ${within.padEnd(8)}  ${critical ? "guard" : ""}`;
    }),
  ];
}

function settingLines(config: HealthReport["config"]): string[] {
  const set = (config?.settings ?? []).filter(({ origin }) => origin !== "default");
  return set.map(({ path, value, origin }) => `${path} = ${JSON.stringify(value)}  (${origin})`);
}

function roomLine({ free, used }: NonNullable<HealthReport["space"]>): string {
  const parts = Object.entries(used).map(([name, bytes]) => `${name} ${size(bytes)}`);
  return `${size(free)} free; ${parts.join(", ")}`;
}

function sessionLine({ sessionId, bytes, events, lock, damage, problem }: SessionHealth): string {
  const state = problem ? "unreadable" : damage.length > 0 ? "damaged" : events === undefined ? "not read" : "intact";
  const count = events === undefined ? "" : `${events} ${events === 1 ? "event" : "events"}`;
  return `${sessionId}  ${size(bytes).padStart(8)}  ${count.padEnd(14)}  ${state.padEnd(10)}  ${lock ? `lock: ${lock.state}` : ""}`;
}

function modelLines({
  model,
  api,
  host,
  credential,
  proxy,
  steps,
  status,
}: NonNullable<HealthReport["model"]>): string[] {
  const key = credential === undefined ? "no key to use" : `key: ${credential}`;
  const way = steps.map(({ step, ms }) => `${step} ${ms} ms`);
  const answer = status === undefined ? [] : [`HTTP ${status} without a key`];
  const through = proxy === undefined ? [] : [`through the proxy ${proxy}`];
  return [
    `${model} (${api})${host === undefined ? "" : ` at ${host}`}, ${key}`,
    ...(way.length > 0 ? [[...through, ...way, ...answer].join(", ")] : []),
  ];
}

function sandboxLines({ chosen, executors }: NonNullable<HealthReport["sandbox"]>): string[] {
  const lines = executors.map(({ executor, problem }) => {
    const state = problem === undefined ? "works" : problem;
    return `${(executor === chosen ? "-> " : "   ") + executor.padEnd(10)}  ${state}`;
  });
  return chosen === "local" ? ["-> local       none at all", ...lines] : lines;
}

/** Formats a finding: one line if it is fine, else also the place and what to do. */
function findingLines({ code, severity, what, where, doNext }: Finding): string[] {
  const [first = "", ...more] = what.split("\n");
  const head = `${MARKS[severity].padEnd(8)} ${code}: ${first}`;
  if (severity === "ok") return [head];
  return [
    head,
    ...more.map((line) => `         ${line}`),
    ...(where === "" ? [] : [`         ${where}`]),
    ...(doNext === "" ? [] : [`         -> ${doNext}`]),
  ];
}

function summary(findings: readonly Finding[]): string {
  const count = (severity: Severity, name: string) => {
    const found = findings.filter((finding) => finding.severity === severity).length;
    return found === 0 ? [] : [`${found} ${name}${found === 1 ? "" : "s"}`];
  };
  const parts = [...count("error", "error"), ...count("warning", "warning"), ...count("note", "note")];
  return parts.length === 0 ? "Nothing is wrong." : `${parts.join(", ")}.`;
}

/** Wraps text at spaces. Long words such as paths stay whole, so that they can be copied. */
function wrapped(text: string, first: string, next: string): string[] {
  const indent = first + (/^ */.exec(text)?.[0] ?? "");
  const further = text.startsWith(" ") ? indent : next;
  if (indent.length + text.trim().length <= WIDTH) return [indent + text.trim()];
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trim().split(/(?<=\s)(?=\S)/)) {
    const empty = line.trim() === "";
    if (!empty && line.length + word.trimEnd().length > WIDTH) {
      lines.push(line);
      line = further;
    }
    line += word;
  }
  return [...lines, line];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = "B";
  for (const each of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = each;
  }
  return `${value.toFixed(1)} ${unit}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
