import { isAbsolute, resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import type { Access } from "@scorel/tools/contract";
import type { Mode } from "./contract.ts";
import { fits, isInside, isWithin, leadsOut, realOf, steers } from "./paths.ts";
import type { Rule } from "./rule.ts";
import { allowsUnit, isAbout, ruleFor, textOf, touchesUnit } from "./rules.ts";
import { isSafe } from "./safe.ts";
import { type Reading, readCommand, spelled, type Token, type Unit } from "./shell.ts";

export interface Rules {
  allow: readonly Rule[];
  ask: readonly Rule[];
  deny: readonly Rule[];
}
/** A call with all that decides about it. */
export interface Case {
  tool: string;
  args: unknown;
  access: Access;
  mode: Mode;
  rules: Rules;
  workspace: Workspace;
}
/** What becomes of a call, and why. `rules` would allow what is asked about; none when no rule can say it. */
export interface Verdict {
  decision: "allow" | "ask" | "deny";
  why: string;
  rules: string[];
}

const allow = (why: string): Verdict => ({ decision: "allow", why, rules: [] });
const deny = (why: string): Verdict => ({ decision: "deny", why, rules: [] });

/** Decides about a call by the rules and the mode: what is denied comes first, then what is asked about. */
export function judge(call: Case): Verdict {
  const { command } = (call.args ?? {}) as { command?: unknown };
  return call.tool === "Bash" && typeof command === "string" ? judgeCommand(command, call) : judgeCall(call);
}

function judgeCall({ tool, args, access, mode, rules, workspace }: Case): Verdict {
  const paths = pathsOf(args, access, workspace);
  const about = (list: readonly Rule[], loose: boolean) =>
    list.find((rule) => isAbout(rule, tool, loose) && isForPaths(rule, paths, loose, workspace));
  const denied = about(rules.deny, true);
  if (denied) return deny(`the rule "${denied.text}" denies it`);
  const writes = typeof access === "object" ? access.writes.filter(isAbsolute) : [];
  const own = ruleOf(tool, writes, workspace);
  const asked = about(rules.ask, true);
  const asking = (why: string): Verdict => ({ decision: "ask", why, rules: asked ? [] : own });
  // Polling and stopping what was allowed to start.
  const harmless = access === "read" || (typeof access === "object" && writes.length === 0) || tool === "Bash";
  if (mode === "plan" && !harmless) return deny(PLANNING);
  if (asked) return asking(`the rule "${asked.text}" asks`);
  const allowed = mode === "plan" ? undefined : about(rules.allow, false);
  if (allowed) return allow(`the rule "${allowed.text}" allows it`);
  if (mode === "full" || harmless) return allow(`the mode is ${mode}`);
  if (mode === "edits" && writes.length > 0 && writes.every((path) => isInside(path, workspace)))
    return allow("edits are free");
  return asking(`the mode is ${mode} and no rule allows it`);
}

const PLANNING = "the mode is plan, in which nothing is changed";

/** The files that a call is about, by their real paths and as they are named. */
function pathsOf(args: unknown, access: Access, { cwd }: Workspace): string[] {
  const { file_path, path } = (args ?? {}) as Record<string, unknown>;
  const named = [file_path, path].flatMap((it) => (typeof it === "string" ? [resolve(cwd, it)] : []));
  const real = named.map((it) => realOf(it) ?? it);
  return [...new Set([...named, ...real, ...(typeof access === "object" ? access.writes.filter(isAbsolute) : [])])];
}

/** A rule that forbids holds when it names any of the paths, or cannot be compared; one that allows must name all of them. */
function isForPaths({ pattern }: Rule, paths: readonly string[], loose: boolean, workspace: Workspace): boolean {
  if (pattern === undefined) return true;
  if (paths.length === 0) return loose;
  const matches = (path: string) => fits(pattern, path, workspace);
  return loose ? paths.some(matches) : paths.every(matches);
}

function ruleOf(tool: string, writes: readonly string[], { root }: Workspace): string[] {
  if (writes.length === 0) return [tool];
  return writes.map((path) => ruleFor(tool, isWithin(root, path) ? path.slice(root.length + 1) : path));
}

function judgeCommand(command: string, { args, mode, rules, workspace }: Case): Verdict {
  const about = (list: readonly Rule[], loose = false) => list.filter((rule) => isAbout(rule, "Bash", loose));
  const reading = read(command, (args as { cwd?: unknown }).cwd, workspace);
  const denied = forbids(about(rules.deny, true), reading);
  if (denied && denied.decision === "deny") return deny(denied.why);
  const open = unsettled(reading, mode === "plan" ? [] : about(rules.allow), workspace, rules);
  if (mode === "plan") return open.length + reading.unknown.length === 0 ? allow("it only reads") : deny(PLANNING);
  const asked = denied ?? forbids(about(rules.ask, true), reading);
  const offered = reading.unknown.length > 0 ? [] : [...new Set(open.map((unit) => ruleFor("Bash", textOf(unit))))];
  if (asked) return { decision: "ask", why: asked.why, rules: [] };
  if (mode === "full") return allow("the mode is full");
  if (about(rules.allow).some(({ pattern }) => pattern === undefined)) return allow('the rule "Bash" allows it');
  if (reading.unknown.length > 0)
    return { decision: "ask", why: `it holds ${reading.unknown[0]}, which no rule covers`, rules: [] };
  if (open.length === 0) return allow("the rules allow every part of it");
  return {
    decision: "ask",
    why: `no rule allows ${open.map((unit) => `\`${textOf(unit)}\``).join(", ")}`,
    rules: offered,
  };
}

/** The parts that neither a rule nor their own harmlessness allows. */
function unsettled({ units, unknown }: Reading, rules: readonly Rule[], workspace: Workspace, all: Rules): Unit[] {
  // Where a command moves to, a relative path means another file.
  const moves = units.some(({ tokens }) => /^(?:cd|pushd|popd)$/.test(tokens[0]?.value ?? ""));
  const readable = (path: string) =>
    !moves &&
    !all.deny.some(
      (rule) => isAbout(rule, "Read", true) && isForPaths(rule, [path, realOf(path) ?? path], true, workspace),
    );
  const isFine = (unit: Unit) => allowsUnit(unit, rules) || (unknown.length === 0 && isSafe(unit, workspace, readable));
  return units.filter((unit) => !unit.nested && !isFine(unit));
}

/** The command, with its working directory as a part of it, and with paths marked that lead somewhere else. */
function read(command: string, cwd: unknown, workspace: Workspace): Reading {
  const reading = readCommand(command);
  if (reading.units.length === 0) reading.unknown.push("no command");
  const elsewhere = typeof cwd === "string" && resolve(workspace.cwd, cwd) !== workspace.cwd ? cwd : undefined;
  for (const unit of reading.units) unit.tokens = placed(unit.tokens, workspace);
  reading.units = reading.units.filter(({ tokens }) => tokens.length > 0);
  if (elsewhere === undefined) return reading;
  const words = ["cd", elsewhere].map((value, at) => ({
    kind: "word" as const,
    text: spelled(value),
    value,
    marked: at > 0 && /\.\./.test(value),
  }));
  reading.units.unshift({ tokens: words, nested: false });
  return reading;
}

/** Marks what leads out of the project; leaves out files of the project that are only read. */
function placed(tokens: readonly Token[], workspace: Workspace): Token[] {
  return tokens.flatMap((token, at) => {
    const target = tokens[at + 1];
    const operator = tokens[at - 1];
    const isTarget = token.kind === "redirect" && operator?.kind === "redirect" && !isOperator(token);
    const foreign = isTarget && isForeign(token.value, workspace);
    if (isTarget && operator.text === "<" && !foreign) return [];
    if (token.kind === "redirect" && token.text === "<" && !isForeign(target?.value, workspace)) return [];
    return [{ ...token, marked: token.marked || foreign || isAstray(token, workspace) }];
  });
}

function isOperator({ text, marked }: Token): boolean {
  return marked && /^\d*[<>&]/.test(text);
}

function isAstray({ kind, value }: { kind: string; value?: string }, workspace: Workspace): boolean {
  if (kind !== "word" || value === undefined) return false;
  const parts = [value, value.slice(value.indexOf("=") + 1)].filter((part) => part !== "" && !part.includes("\0"));
  return parts.some((part) => part.length < 4_096 && leadsOut(part, workspace));
}

/** A redirection's target that a wildcard may not cover. */
function isForeign(value: string | undefined, workspace: Workspace): boolean {
  if (value === undefined) return true;
  const path = resolve(workspace.cwd, value);
  return value.split("/").includes("..") || steers(path) || !isInside(path, workspace);
}

/** Whether a rule speaks of a part; of what cannot be told, a rule with a pattern might. */
function forbids(rules: readonly Rule[], reading: Reading): { decision: "deny" | "ask"; why: string } | undefined {
  const rule = rules.find((it) => reading.units.some((unit) => touchesUnit(unit, it)));
  if (rule) return { decision: "deny", why: `the rule "${rule.text}" speaks of it` };
  const [first] = rules;
  if (!first || reading.unknown.length === 0) return undefined;
  return {
    decision: "ask",
    why: `it holds ${reading.unknown[0]}, so it may be what the rule "${first.text}" is about`,
  };
}
