import { isAbsolute, resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { isWithin } from "@scorel/kit/files/paths";
import type { Access } from "@scorel/tools/contract";
import { lookingOnce, realOf } from "./looks.ts";
import { isInside, steers } from "./paths.ts";
import { judgeReads } from "./reading.ts";
import type { Rule } from "./rule.ts";
import { isAbout, ruleFor } from "./rules.ts";
import { allow, type Case, deny, isForPaths, PLANNING, type Rules, stricter, type Verdict } from "./verdict.ts";

/** Decides about a call by the rules and the mode: what is denied comes first, then what is asked about. */
export async function judge(call: Case): Promise<Verdict> {
  const { command, cwd } = (call.args ?? {}) as { command?: unknown; cwd?: unknown };
  if (call.tool === "Bash" && typeof command === "string")
    return judgeBash(command, typeof cwd === "string" ? cwd : ".", call);
  return lookingOnce(() => strictest(judgeCall(call), () => [judgeReads(readsOf(call), call)]));
}

/** What a call may do, and what speaks against it unless it is denied anyway. */
function strictest(own: Verdict, others: () => (Verdict | undefined)[]): Verdict {
  if (own.decision === "deny") return own;
  return others().reduce<Verdict>((strict, verdict) => (verdict ? stricter(strict, verdict) : strict), own);
}

/** The parser of commands is loaded with the first one. */
async function judgeBash(command: string, cwd: string, call: Case): Promise<Verdict> {
  const { mode, rules, workspace } = call;
  const isFree = mode === "full" && !speaksOfCommands(rules);
  const { judgeReadingOf } = await import("./command-reading.ts");
  if (isFree)
    return lookingOnce(() => strictest(allow("the mode is full"), () => [judgeReadingOf(command, cwd, call)]));
  const [{ judgeCommand }, { gitDangerOf }] = await Promise.all([
    import("./judge-command.ts"),
    import("./command-git.ts"),
  ]);
  const allowsAll = rules.allow.some((rule) => rule.pattern === undefined && isAbout(rule, "Bash"));
  const gitVerdict = () => aboutGit(allowsAll ? undefined : gitDangerOf(command, cwd, workspace));
  return lookingOnce(() =>
    strictest(judgeCommand(command, call), () => [judgeReadingOf(command, cwd, call), gitVerdict()]),
  );
}

/** Asks about git in a folder where it may run what nobody chose. */
function aboutGit(danger: string | undefined): Verdict | undefined {
  if (danger === undefined) return undefined;
  return { decision: "ask", why: `it contains ${danger}, which no allow rule covers`, rules: [] };
}

/** What a call reads, as its tool says, else the paths among the arguments of one that only reads. */
function readsOf({ reads, access, args, workspace }: Case): readonly string[] {
  return [...(reads ?? (access === "read" ? pathsOf(args, access, workspace) : [])), ...stagedBy(args, workspace)];
}

/** Files of this machine that programs of skills get as their inputs. */
function stagedBy(args: unknown, { cwd }: Workspace): string[] {
  const { inputs } = (args ?? {}) as { inputs?: unknown };
  const named = Array.isArray(inputs) ? inputs.map((each: { from?: unknown } | null) => each?.from) : [];
  return named.flatMap((from) => {
    const path = /^host:\/\/(?:localhost(?=\/))?(.+)$/s.exec(String(from))?.[1];
    return path === undefined ? [] : [resolve(cwd, path)];
  });
}

function speaksOfCommands({ deny, ask }: Rules): boolean {
  return [...deny, ...ask].some((rule) => isAbout(rule, "Bash", true));
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

/** The files that a call is about, by their real paths and as they are named. */
function pathsOf(args: unknown, access: Access, { cwd }: Workspace): string[] {
  const { file_path, path } = (args ?? {}) as Record<string, unknown>;
  const named = [file_path, path].flatMap((it) => (typeof it === "string" ? [resolve(cwd, it)] : []));
  const real = named.map((it) => realOf(it) ?? it);
  return [...new Set([...named, ...real, ...(typeof access === "object" ? access.writes.filter(isAbsolute) : [])])];
}

/** None where another guard asks about each call whatever rules say. */
function ruleOf(tool: string, writes: readonly string[], workspace: Workspace): string[] {
  const { root } = workspace;
  if (writes.length === 0) return [tool];
  if (writes.some((path) => steers(path) || !isInside(path, workspace))) return [];
  return writes.map((path) => ruleFor(tool, isWithin(root, path) ? path.slice(root.length + 1) : path));
}
