import { isAbsolute, resolve } from "node:path";
import { isControlPath } from "@scorel/kit/files/control-path";
import { isWithin } from "@scorel/kit/files/paths";
import type { Access } from "@scorel/tools/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { leadsTo, withFileCache } from "./files/file-cache.ts";
import { isInside } from "./files/paths.ts";
import { judgeReads } from "./files/reading.ts";
import type { Rule } from "./rules/rule.ts";
import { isAbout, ruleFor } from "./rules/rules.ts";
import {
  allow,
  type Case,
  deny,
  isForPaths,
  isForText,
  PLANNING,
  type Rules,
  stricter,
  type Verdict,
} from "./verdict.ts";

/** Judges a call by rules and mode. Deny rules come first, then ask rules. */
export async function judge(call: Case): Promise<Verdict> {
  return call.standsIn ? judgeStandIn(call) : judgeTool(call);
}

/**
 * Judges a tool of the project that has the name of one of Scorel's tools. The user's deny and ask rules for that name
 * apply. The user's allow rules do not, nor does the knowledge that some commands only read, because other code runs.
 */
async function judgeStandIn(call: Case): Promise<Verdict> {
  const rules: Rules = { ...call.rules, allow: [] };
  const unruled = judgeCall({ ...call, rules: { allow: [], ask: [], deny: [] } });
  const asked =
    unruled.decision === "ask"
      ? { ...unruled, why: `this project has its own tool ${call.tool}, which does not come with Scorel` }
      : unruled;
  return { ...stricter(await judgeTool({ ...call, rules }), asked), rules: [] };
}

async function judgeTool(call: Case): Promise<Verdict> {
  const { command, cwd } = (call.args ?? {}) as { command?: unknown; cwd?: unknown };
  if (call.tool === "Bash" && typeof command === "string")
    return judgeBash(command, typeof cwd === "string" ? cwd : ".", call);
  return withFilesOf(call, () => strictest(judgeCall(call), () => [judgeReads(readsOf(call), call)]));
}

/**
 * Runs `judge` with access to the files that the call touches: those of this computer, or those of the session's
 * executor.
 */
async function withFilesOf({ files }: Case, judge: () => Verdict): Promise<Verdict> {
  if (!files || files.local) return withFileCache(judge);
  return (await import("./files/elsewhere.ts")).judgeElsewhere(files, judge);
}

/** The strictest of several verdicts; `others` are not computed if the first one denies. */
function strictest(own: Verdict, others: () => (Verdict | undefined)[]): Verdict {
  if (own.decision === "deny") return own;
  return others().reduce<Verdict>((strict, verdict) => (verdict ? stricter(strict, verdict) : strict), own);
}

/** Judges a shell command. The parser is loaded for the first one. */
async function judgeBash(command: string, cwd: string, call: Case): Promise<Verdict> {
  const { mode, rules, workspace } = call;
  const isFree = mode === "full" && !hasCommandRules(rules);
  const { judgeReadingOf } = await import("./files/command-reading.ts");
  if (isFree)
    return withFilesOf(call, () => strictest(allow("the mode is full"), () => [judgeReadingOf(command, cwd, call)]));
  const [{ judgeCommand }, { gitDangerOf }] = await Promise.all([
    import("./shell/judge-command.ts"),
    import("./git/command-git.ts"),
  ]);
  const allowsAll = rules.allow.some((rule) => rule.pattern === undefined && isAbout(rule, "Bash"));
  const gitVerdict = () => gitDangerVerdict(allowsAll ? undefined : gitDangerOf(command, cwd, workspace));
  return withFilesOf(call, () =>
    strictest(judgeCommand(command, call), () => [judgeReadingOf(command, cwd, call), gitVerdict()]),
  );
}

/** Asks about git in a folder where it may run a program that the user did not choose. */
function gitDangerVerdict(danger: string | undefined): Verdict | undefined {
  if (danger === undefined) return undefined;
  return { decision: "ask", why: `it contains ${danger}, so it needs approval each time`, rules: [] };
}

/** The paths that a call reads: as reported by its tool, else the paths in the arguments of a read-only call. */
function readsOf({ reads, access, args, workspace }: Case): readonly string[] {
  return [...(reads ?? (access === "read" ? pathsOf(args, access, workspace) : [])), ...stagedBy(args, workspace)];
}

/** Local files that the call passes as inputs to programs of skills. */
function stagedBy(args: unknown, { cwd }: Workspace): string[] {
  const { inputs } = (args ?? {}) as { inputs?: unknown };
  const named = Array.isArray(inputs) ? inputs.map((each: { from?: unknown } | null) => each?.from) : [];
  return named.flatMap((from) => {
    const path = /^host:\/\/(?:localhost(?=\/))?(.+)$/s.exec(String(from))?.[1];
    return path === undefined ? [] : [resolve(cwd, path)];
  });
}

function hasCommandRules({ deny, ask }: Rules): boolean {
  return [...deny, ...ask].some((rule) => isAbout(rule, "Bash", true));
}

function judgeCall(call: Case): Verdict {
  const { access, approval, mode, workspace } = call;
  const rule = ruleFinder(call);
  const denied = rule("deny");
  if (denied) return deny(`the rule "${denied.text}" denies it`);
  const writes = typeof access === "object" ? access.writes.filter(isAbsolute) : [];
  const asked = rule("ask");
  const isFree = isHarmless(call, writes);
  // A page of the web, for example, may be read for a plan, but only with approval.
  const isPlannable = isFree || (access === "read" && approval === "ask");
  if (mode === "plan" && !isPlannable) return deny(PLANNING);
  const asking = (why: string): Verdict => ({ decision: "ask", why, rules: [] });
  if (asked) return asking(`the rule "${asked.text}" asks for approval`);
  if (approval === "always-ask") return asking(`${call.tool} needs approval each time`);
  const allowed = mode === "plan" && access !== "read" ? undefined : rule("allow");
  if (allowed) return allow(`the rule "${allowed.text}" allows it`);
  if (approval === "by-rule")
    return deny(
      `no rule allows ${call.tool}, and \`unknown = "deny"\` in [permissions] denies tools that do not come with Scorel`,
    );
  if (mode === "full" || isFree) return allow(`the mode is ${mode}`);
  if (mode === "edits" && writes.length > 0 && writes.every((path) => isInside(path, workspace)))
    return allow("the mode is edits");
  return { decision: "ask", why: `${call.tool} needs approval`, rules: ownRules(call, writes), isUsual: true };
}

/**
 * The rules to offer. None when the tool gave an unknown subject, since the model controls it, or when the rule would
 * not match it.
 */
function ownRules({ tool, about, workspace }: Case, writes: readonly string[]): string[] {
  if (about === undefined) return rulesFor(tool, writes, workspace);
  return about === null || about.trim() !== about ? [] : [ruleFor(tool, about)];
}

/** Returns the first rule of a list that is about the call. Rules that forbid are read loosely. */
function ruleFinder({ tool, args, access, about, rules, workspace }: Case) {
  const paths = pathsOf(args, access, workspace);
  const isFor = (rule: Rule, loose: boolean) => {
    if (about === undefined) return isForPaths(rule, paths, loose, workspace);
    return isForText(rule, about, loose) || (loose && paths.length > 0 && isForPaths(rule, paths, loose, workspace));
  };
  return (list: keyof Rules): Rule | undefined => {
    const loose = list !== "allow";
    return rules[list].find((rule) => isAbout(rule, tool, loose) && isFor(rule, loose));
  };
}

/**
 * Whether a call needs no question. What its tool declares decides; without a declaration, the call must only read or
 * write no files.
 */
function isHarmless({ access, approval, mode, workspace }: Case, writes: readonly string[]): boolean {
  const isOrdinary = (path: string) => isInside(path, workspace) && !isControlPath(path);
  if (approval === "free") return writes.length === 0 || (mode !== "plan" && writes.every(isOrdinary));
  return approval === undefined && (access === "read" || (typeof access === "object" && writes.length === 0));
}

/** The files in a call's arguments, by their given and real paths. */
function pathsOf(args: unknown, access: Access, { cwd }: Workspace): string[] {
  const { file_path, path } = (args ?? {}) as Record<string, unknown>;
  const named = [file_path, path].flatMap((it) => (typeof it === "string" ? [resolve(cwd, it)] : []));
  const real = named.map((it) => leadsTo(it) ?? it);
  return [...new Set([...named, ...real, ...(typeof access === "object" ? access.writes.filter(isAbsolute) : [])])];
}

/** The rules to offer; none for files that another guard asks about whatever the rules say. */
function rulesFor(tool: string, writes: readonly string[], workspace: Workspace): string[] {
  const { root } = workspace;
  if (writes.length === 0) return [tool];
  if (writes.some((path) => isControlPath(path) || !isInside(path, workspace))) return [];
  return writes.map((path) => ruleFor(tool, isWithin(root, path) ? path.slice(root.length + 1) : path));
}
