import { existsSync } from "node:fs";
import type { BaseContext } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import type {} from "@scorel/tools/contract";
import { errors } from "../errors.ts";
import { SHIPPED_TOOLS } from "../own-tools.ts";
import { parseRule, type Rule } from "./rule.ts";
import { isAbout } from "./rules.ts";

/** Tools whose rule patterns match files. */
const FILE_TOOLS = /^(?:Read|Edit|Write|Grep|Glob)$/i;

/** Tools of MCP servers, which may appear and disappear while a session runs. */
const OF_SERVERS = /^mcp__/i;

/** The lists of `[permissions]` that hold rules. */
export type RuleList = "allow" | "ask" | "deny";

/**
 * Why a rule probably does not do what its author expects, given the available tools; undefined if nothing looks wrong. Only
 * an allowing rule must name its tool in exactly these letters: `deny` and `ask` ignore case.
 */
export function doubtAbout(text: string, list: RuleList, tools: readonly string[]): string | undefined {
  const rule = parseRule(text);
  if (!rule) return undefined;
  const { tool, pattern = "" } = rule;
  if (!isAboutSome(rule, list, tools) && !OF_SERVERS.test(tool)) {
    const near = nearTool(tool, tools);
    const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
    return `The rule ${JSON.stringify(text)} matches no call: there is no tool "${tool}".${meant}`;
  }
  if (FILE_TOOLS.test(tool) && /\{[^{}]*,[^{}]*\}/.test(pattern))
    return `The rule ${JSON.stringify(text)} is about files with braces in their names: write a rule for each name.`;
  const [, top = "", rest = ""] = /^(\/[^/*?]+)(\/.*)?$/.exec(pattern) ?? [];
  if (FILE_TOOLS.test(tool) && top !== "" && !existsSync(top))
    return `The rule ${JSON.stringify(text)} is about ${top} of this computer, which does not exist: for files of the project, write ${JSON.stringify(`${tool}(${top.slice(1)}${rest})`)}.`;
  return undefined;
}

function isAboutSome(rule: Rule, list: RuleList, tools: readonly string[]): boolean {
  return tools.some((name) => isAbout(rule, name, list !== "allow"));
}

/** The tool that was probably meant: a name that differs only in case, else one that is spelled almost the same. */
function nearTool(word: string, tools: readonly string[]): string | undefined {
  return tools.find((name) => name.toLowerCase() === word.toLowerCase()) ?? nearest(word, tools);
}

/** Facts about the tools that a session could have in addition to Scorel's own. A check of the configuration opens no session, so it cannot list them. */
export interface Surroundings {
  /** Whether extensions are used, which may have tools of any name. */
  hasExtensions: boolean;
}

interface Doubt {
  text: string;
  severity: "note" | "warning";
  doNext: string;
}

/**
 * Like `doubtAbout`, but before the tools of extensions and MCP servers are known. Returns a warning, because a faulty `deny` rule leaves
 * open what its author believes denied. A rule about a tool that an extension may have is only noted, and only if it forbids something.
 */
export function examineRule(text: string, list: RuleList, { hasExtensions }: Surroundings): Doubt | undefined {
  const doubt = doubtAbout(text, list, SHIPPED_TOOLS);
  const rule = parseRule(text);
  if (doubt === undefined || !rule) return undefined;
  const isUnknown = !isAboutSome(rule, list, SHIPPED_TOOLS) && nearTool(rule.tool, SHIPPED_TOOLS) === undefined;
  if (!isUnknown || !hasExtensions)
    return { text: doubt, severity: "warning", doNext: "Correct the rule, or remove it." };
  if (list === "allow") return undefined;
  return {
    text: `The rule ${JSON.stringify(text)} matches no call, unless an extension has a tool "${rule.tool}": no tool of that name comes with Scorel.`,
    severity: "note",
    doNext: `Check that an extension has a tool "${rule.tool}".`,
  };
}

/** Reports all doubtful rules of a session in one warning. */
export function warnAbout(
  rules: Readonly<Record<RuleList, readonly string[]>>,
  ctx: Pick<BaseContext, "find" | "report">,
): void {
  const tools =
    ctx
      .find("tools")
      ?.list()
      .map(({ name }) => name) ?? [];
  // Rules in the user's file may name built-in tools that this preset lacks.
  const known = [...new Set([...tools, ...SHIPPED_TOOLS])];
  const doubtsIn = (list: RuleList) => rules[list].flatMap((rule) => doubtAbout(rule, list, known) ?? []);
  const doubts = [...doubtsIn("deny"), ...doubtsIn("ask"), ...doubtsIn("allow")];
  if (doubts.length > 0) ctx.report("", errors.PERMISSIONS_NO_EFFECT({ doubts }));
}
