import { resolve } from "node:path";
import { isControlPath } from "@scorel/kit/files/control-path";
import type { Workspace } from "@scorel/workspace/contract";
import { kindOf, leadsTo } from "../files/file-cache.ts";
import { isInside, leadsOut } from "../files/paths.ts";
import { foldersOf } from "../free/free-folders.ts";
import { isSafe, programOfProject } from "../free/safe.ts";
import { forbids } from "../rules/forbid.ts";
import { nearMiss } from "../rules/near-rules.ts";
import { possible } from "../rules/possible.ts";
import type { Rule } from "../rules/rule.ts";
import { allowsUnit, isAbout, ruleFor, textOf } from "../rules/rules.ts";
import { widerRule } from "../rules/wider.ts";
import { allow, type Case, deny, isForPaths, PLANNING, type Rules, type Verdict } from "../verdict.ts";
import { textsFor } from "./command-texts.ts";
import { staysInside } from "./hazards.ts";
import { obeyingProgram } from "./obeying.ts";
import { analyzeScript } from "./script-analysis.ts";
import { type Reading, readCommand, type Unit } from "./shell.ts";
import { spelled, type Token } from "./words.ts";

/** Judges a shell command by its parsed parts. */
export function judgeCommand(command: string, { args, mode, rules, workspace }: Case): Verdict {
  const about = (list: readonly Rule[], loose = false) => list.filter((rule) => isAbout(rule, "Bash", loose));
  const { cwd } = args as { cwd?: unknown };
  const moved = typeof cwd === "string" && resolve(workspace.cwd, cwd) !== workspace.cwd ? cwd : undefined;
  const forbidden = forbiddenBy(about(rules.deny, true), about(rules.ask, true), command, moved);
  if (forbidden.denied?.decision === "deny") return deny(forbidden.denied.why);
  const asked = forbidden.denied ?? forbidden.asked;
  if (mode === "full") return asked ? { decision: "ask", why: asked.why, rules: [] } : allow("the mode is full");
  const reading = read(command, moved, workspace);
  const open = uncoveredParts(reading, mode === "plan" ? [] : about(rules.allow), workspace, rules);
  if (mode === "plan") return open.length + reading.unknown.length === 0 ? allow("it only reads") : deny(PLANNING);
  const obeying = obeyingProgram(command, reading.units);
  const isUnknown = reading.unknown.length > 0 || obeying !== undefined;
  const offered = isUnknown ? [] : [...new Set(open.map((unit) => widerRule(unit) ?? ruleFor("Bash", textOf(unit))))];
  if (asked) return { decision: "ask", why: asked.why, rules: [] };
  if (about(rules.allow).some(({ pattern }) => pattern === undefined)) return allow('the rule "Bash" allows it');
  if (reading.unknown.length > 0)
    return { decision: "ask", why: `it contains ${reading.unknown[0]}, so it needs approval each time`, rules: [] };
  if (open.length === 0) return allow("the rules allow every part of it");
  if (obeying !== undefined)
    return { decision: "ask", why: `\`${obeying}\` runs what it reads, so it needs approval each time`, rules: [] };
  const hints = hintsFor(open, about(rules.allow), workspace);
  const texts = open.map((unit) => textOf(unit));
  return {
    decision: "ask",
    why: `${texts.map((text) => `\`${text}\``).join(", ")} ${texts.length === 1 ? "needs" : "need"} approval${hints}`,
    rules: offered,
    ...(hints === "" && isWhole(texts, command) && { isUsual: true }),
  };
}

/** Whether these parts make up the whole command, so that nothing in it runs without approval. */
function isWhole(parts: readonly string[], command: string): boolean {
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
  return letters(parts.join("")) === letters(command);
}

const MAX_HINTS = 3;

/** Explains which rules almost match, so that a person knows what to add, and which programs are not the usual ones. */
function hintsFor(open: readonly Unit[], rules: readonly Rule[], workspace: Workspace): string {
  const found = open.flatMap((unit) => [projectHint(unit, workspace), nearMiss(unit, rules)]);
  const hints = [...new Set(found.filter((hint) => hint !== undefined))].slice(0, MAX_HINTS);
  return hints.length === 0 ? "" : `; ${hints.join("; ")}`;
}

function projectHint({ tokens }: Unit, workspace: Workspace): string | undefined {
  const name = tokens[0]?.value;
  const file = programOfProject(name, workspace);
  return file && `\`${name}\` is the project's own program ${spelled(file)}`;
}

/** Checks everything that a command may run against the deny rules and the ask rules. */
function forbiddenBy(denying: readonly Rule[], asking: readonly Rule[], command: string, cwd: string | undefined) {
  if (denying.length + asking.length === 0) return {};
  const analysis = analyzeScript(command);
  if (cwd !== undefined) analysis.commands.push(possible(["cd", cwd]));
  const texts = analysis.commands.map(textsFor);
  return { denied: forbids(denying, analysis, texts), asked: forbids(asking, analysis, texts) };
}

/** The parts that are neither allowed by a rule nor harmless by themselves. */
function uncoveredParts({ units, unknown }: Reading, rules: readonly Rule[], workspace: Workspace, all: Rules): Unit[] {
  const readable = (path: string) =>
    !all.deny.some(
      (rule) => isAbout(rule, "Read", true) && isForPaths(rule, [path, leadsTo(path) ?? path], true, workspace),
    );
  const surroundings = { workspace, folders: foldersOf(units, workspace), readable };
  const outer = new Map(units.filter(({ nested }) => !nested).map((unit) => [JSON.stringify(unit.tokens), unit]));
  const unruled = [...outer.values()].filter((unit) => !allowsUnit(unit, rules));
  if (unknown.length > 0) return unruled;
  const free = new Set([...outer.values()].filter((unit) => !isMove(unit) && isSafe(unit, surroundings)));
  // A rule applies to the project's folder. After `cd`, only free commands run without a rule for `cd`.
  const movesFreely =
    surroundings.folders !== undefined && [...outer.values()].every((unit) => isMove(unit) || free.has(unit));
  return unruled.filter((unit) => (isMove(unit) ? !movesFreely : !free.has(unit)));
}

function isMove({ tokens }: Unit): boolean {
  return /^(?:cd|pushd|popd)$/.test(tokens[0]?.value ?? "");
}

/** Parses a command, with its working directory as a `cd` part, and marks paths that lead elsewhere. */
function read(command: string, elsewhere: string | undefined, workspace: Workspace): Reading {
  const reading = readCommand(command);
  const unknown = [...reading.unknown, ...foreignWrappers(reading, workspace)];
  if (reading.units.length === 0) unknown.push("no command");
  const units = reading.units
    .map((unit) => ({ ...unit, tokens: markOutside(unit.tokens, workspace) }))
    .filter(({ tokens }) => tokens.length > 0);
  if (elsewhere === undefined) return { ...reading, units, unknown };
  const words = ["cd", elsewhere].map((value, at) => ({
    kind: "word" as const,
    text: spelled(value),
    value,
    marked: at > 0 && /\.\./.test(value),
  }));
  return { ...reading, units: [{ tokens: words, nested: false }, ...units], unknown };
}

/** Marks words that lead out of the project or touch `.git` and `.scorel`, and drops project files that are only read. */
function markOutside(tokens: readonly Token[], workspace: Workspace): Token[] {
  const offLimits = new Map<string, boolean>();
  const stays = staysInside(tokens.flatMap(({ kind, value }) => (kind === "word" ? [value] : [])));
  const name = tokens.findIndex(({ kind }) => kind === "word");
  const isMarked = ({ kind, value }: Token, at: number) => {
    if (kind !== "word" || value === undefined) return false;
    if (stays && at > name && namesOutside(value, workspace)) return true;
    if (!offLimits.has(value)) offLimits.set(value, isOffLimits(value, workspace));
    return offLimits.get(value) as boolean;
  };
  return tokens.flatMap((token, at) => {
    const target = tokens[at + 1];
    const operator = tokens[at - 1];
    const isTarget = token.kind === "redirect" && operator?.kind === "redirect" && !isOperator(token);
    const foreign = isTarget && isForeign(token.value, workspace);
    if (isTarget && operator.text === "<" && !foreign) return [];
    if (token.kind === "redirect" && token.text === "<" && !isForeign(target?.value, workspace)) return [];
    return [{ ...token, marked: token.marked || foreign || isMarked(token, at) }];
  });
}

/** The wrappers that are programs of the project. Rules cannot allow them, since rules are about the command inside. */
function foreignWrappers({ wrappers }: Reading, workspace: Workspace): string[] {
  const files = wrappers.map((name) => programOfProject(name, workspace)).filter((file) => file !== undefined);
  return files.map((file) => `the project's own program ${spelled(file)}`);
}

function isOperator({ text, marked }: Token): boolean {
  return marked && /^\d*[<>&]/.test(text);
}

/**
 * Whether a word is an absolute path outside of the project, also after `=`, `:`, `,`, `@` or an option letter. Only paths
 * whose first folder exists count.
 */
function namesOutside(value: string, workspace: Workspace): boolean {
  return partsOf(value).some(
    (path) =>
      path.startsWith("/") &&
      path.length < 4_096 &&
      !/^\/dev\/(?:null|stdin|stdout|stderr)$/.test(path) &&
      kindOf(`/${path.split("/").find(Boolean) ?? ""}`) !== undefined &&
      !isInside(resolve(path), workspace),
  );
}

function isOffLimits(value: string, workspace: Workspace): boolean {
  const parts = partsOf(value).filter((part) => part !== "" && !part.includes("\0"));
  return parts.some((part) => part.length < 4_096 && (isControlPath(part) || leadsOut(part, workspace)));
}

/** The parts of a word that may be paths: the word, what is between `=`, `:`, `,` and `@`, and what follows option letters. */
function partsOf(value: string): string[] {
  const parts = [value, ...value.split(/[=:,@]/), value.slice(value.indexOf("=") + 1)];
  const behind = parts.flatMap((part) => (/^-[^-]/.test(part) ? [part.slice(2), part.replace(/^-\w+/, "")] : []));
  return [...new Set([...parts, ...behind])];
}

/** Whether no wildcard may cover a redirection's target. */
function isForeign(value: string | undefined, workspace: Workspace): boolean {
  if (value === undefined) return true;
  const path = resolve(workspace.cwd, value);
  return value.split("/").includes("..") || isControlPath(path) || !isInside(path, workspace);
}
