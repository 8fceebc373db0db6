import { ScorelError } from "@scorel/kernel";
import { type CheckContext, type Part, thrownFindings } from "./check-context.ts";
import type { Finding, HealthReport } from "./contract.ts";
import { checkFolders } from "./folders.ts";
import { checkModel } from "./model.ts";
import { checkOtherAgents } from "./other-agents.ts";
import { checkPlugins, LATE } from "./plugins.ts";
import { checkPresets } from "./presets.ts";
import { checkPrograms } from "./programs.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkSessions } from "./sessions.ts";
import { checkSettings } from "./settings.ts";
import { checkSpace } from "./space.ts";
import { checkTrust } from "./trust.ts";

const ORDER: readonly Finding["severity"][] = ["error", "warning", "note", "ok"];

type Check = (context: CheckContext) => Part | Promise<Part>;

/** These run no code of extensions in this process. */
const APART: readonly Check[] = [checkPlugins, checkPrograms, checkOtherAgents, checkSpace, checkSessions];
/** These load extensions for the schemas of their tables. */
const LOADING: readonly Check[] = [checkModel, checkSettings, checkTrust, checkPresets, checkSandbox];

/**
 * Runs all checks, those of a group side by side. A check that fails becomes a finding and does not stop the others. An extension that blocks
 * the process it is loaded in is not loaded in this one.
 */
export async function runChecks(context: CheckContext): Promise<HealthReport> {
  const began = performance.now();
  const at = new Date().toISOString();
  // Checked first, because starting other parts may repair folder permissions in passing.
  const folders = await runCheck(checkFolders, context);
  const inGroup = (checks: readonly Check[]) => Promise.all(checks.map((check) => runCheck(check, context)));
  const parts = [folders, ...(await inGroup(APART))];
  const isBlocked = parts.some(({ findings }) => findings.some(({ code }) => code === LATE));
  if (!isBlocked) parts.push(...(await inGroup(LOADING)));
  if (context.options.selftest === true && !isBlocked)
    parts.push(await runCheck((await import("./selftest.ts")).selfTest, context));
  const findings = distinct([...aboutDirectory(), ...parts.flatMap((part) => part.findings)]);
  return {
    version: 1,
    scorel: context.version,
    system: `${process.platform} ${process.arch}`,
    cwd: context.cwd,
    at,
    ms: Math.round(performance.now() - began),
    programs: [],
    folders: [],
    ...Object.assign({}, ...parts),
    findings: findings.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)),
  };
}

async function runCheck(check: Check, context: CheckContext): Promise<Part> {
  try {
    return await check(context);
  } catch (thrown) {
    // An error with a code says itself what to do.
    const doNext = thrown instanceof ScorelError ? "" : "This should not happen: please report it.";
    return { findings: thrownFindings(thrown, "", doNext) };
  }
}

/** Removes duplicates, since several checks may find the same problem. */
function distinct(all: readonly Finding[]): Finding[] {
  const findings = all.filter((finding) => !isExplained(finding, all));
  return findings.filter(
    (finding, index) =>
      findings.findIndex(({ what, where }) => what === finding.what && where === finding.where) === index,
  );
}

/** Returns true for a failed start or a system error that another finding already explains. */
function isExplained({ code, what }: Finding, all: readonly Finding[]): boolean {
  const others = all.filter((other) => other.code !== code && other.severity === "error");
  if (/^E[A-Z]+$/.test(code)) return others.some((other) => /^FOLDER_(NONE|UNREADABLE)$/.test(other.code));
  if (code !== "PLUGINS_FAILED") return false;
  const lines = what.split("\n").map((line) => line.replace(/^.*?scorel: /, ""));
  return lines.every((line) => others.some(({ what: told }) => told.includes(line) || line.includes(told)));
}

function aboutDirectory(): Finding[] {
  try {
    process.cwd();
    return [];
  } catch {
    const what = "The current directory does not exist any more.";
    return [{ code: "DIRECTORY_GONE", severity: "warning", what, where: "", doNext: "cd to one that does." }];
  }
}
