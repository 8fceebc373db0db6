import { resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { bareName, takesOrders } from "./hazards.ts";
import { isInside, isPosingAsGit, leadsOut, realOf, steers } from "./paths.ts";
import type { Rule } from "./rule.ts";
import { allowsUnit, isAbout, isSomewhereIn, ruleFor, textOf, touchesUnit } from "./rules.ts";
import { isSafe } from "./safe.ts";
import { type Reading, readCommand, spelled, type Token, type Unit } from "./shell.ts";
import { allow, type Case, deny, isForPaths, PLANNING, type Rules, type Verdict } from "./verdict.ts";

/** Decides about a command by its parsed parts. */
export function judgeCommand(command: string, { args, mode, rules, workspace }: Case): Verdict {
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
  const isGit = reading.units.some(({ tokens }) => tokens.some(({ value }) => bareName(value ?? "") === "git"));
  if (isGit && isPosingAsGit(workspace)) reading.unknown.push("git in a folder that poses as git's own");
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

/** Marks what leads out of the project, and what steers git or this program; leaves out files of the project that are only read. */
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
  return parts.some((part) => part.length < 4_096 && (steers(part) || leadsOut(part, workspace)));
}

/** A redirection's target that a wildcard may not cover. */
function isForeign(value: string | undefined, workspace: Workspace): boolean {
  if (value === undefined) return true;
  const path = resolve(workspace.cwd, value);
  return value.split("/").includes("..") || steers(path) || !isInside(path, workspace);
}

/** Words that a command may run, and what is fed to one that runs it. */
function scriptsIn({ units, fed }: Reading): string[] {
  const tokens = units.flatMap((unit) => unit.tokens);
  const isRead = units.some(({ tokens: [name] }) => takesOrders(name?.value ?? ""));
  const words = tokens.filter(({ marked }) => marked || isRead).map(({ value, text }) => value ?? text);
  return [...words.filter((text) => /\s/.test(text)), ...(isRead ? fed : [])];
}

/** Whether a rule speaks of a part; of what cannot be told, a rule with a pattern might. */
function forbids(rules: readonly Rule[], reading: Reading): { decision: "deny" | "ask"; why: string } | undefined {
  const rule = rules.find((it) => reading.units.some((unit) => touchesUnit(unit, it)));
  if (rule) return { decision: "deny", why: `the rule "${rule.text}" speaks of it` };
  const hidden = rules.find((it) => scriptsIn(reading).some((text) => isSomewhereIn(text, it)));
  if (hidden) return { decision: "deny", why: `the rule "${hidden.text}" may speak of what it runs` };
  const [first] = rules;
  if (!first || reading.unknown.length === 0) return undefined;
  return {
    decision: "ask",
    why: `it holds ${reading.unknown[0]}, so it may be what the rule "${first.text}" is about`,
  };
}
