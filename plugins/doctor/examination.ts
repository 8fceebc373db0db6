import type { Finding, HealthReport } from "./contract.ts";
import { lookAtFolders } from "./folders.ts";
import { lookAtModel } from "./model.ts";
import { type Part, type Patient, thrownFindings } from "./patient.ts";
import { lookAtPlugins } from "./plugins.ts";
import { lookAtPresets } from "./presets.ts";
import { lookAtPrograms } from "./programs.ts";
import { lookAtSandbox } from "./sandbox.ts";
import { lookAtSessions } from "./sessions.ts";
import { lookAtSettings } from "./settings.ts";
import { lookAtSpace } from "./space.ts";
import { lookAtTrust } from "./trust.ts";

const ORDER: readonly Finding["severity"][] = ["error", "warning", "note", "ok"];

/** Runs all checks side by side. A check that fails becomes a finding and does not stop the others. */
export async function examinePatient(patient: Patient): Promise<HealthReport> {
  const began = performance.now();
  const at = new Date().toISOString();
  // Checked first, because starting other parts may repair folder permissions in passing.
  const folders = await looked(lookAtFolders, patient);
  const looks = [
    lookAtPrograms,
    lookAtPlugins,
    lookAtModel,
    lookAtSettings,
    lookAtTrust,
    lookAtPresets,
    lookAtSpace,
    lookAtSessions,
    lookAtSandbox,
  ];
  const parts = [folders, ...(await Promise.all(looks.map((look) => looked(look, patient))))];
  if (patient.options.selftest === true) parts.push(await looked((await import("./selftest.ts")).selfTest, patient));
  const findings = distinct([...aboutDirectory(), ...parts.flatMap((part) => part.findings)]);
  return {
    version: 1,
    scorel: patient.version,
    system: `${process.platform} ${process.arch}`,
    cwd: patient.cwd,
    at,
    ms: Math.round(performance.now() - began),
    programs: [],
    folders: [],
    ...Object.assign({}, ...parts),
    findings: findings.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)),
  };
}

async function looked(look: (patient: Patient) => Part | Promise<Part>, patient: Patient): Promise<Part> {
  try {
    return await look(patient);
  } catch (thrown) {
    return { findings: thrownFindings(thrown, "", "This should not happen: please report it.") };
  }
}

/** Removes duplicates, since several checks may find the same problem. */
function distinct(all: readonly Finding[]): Finding[] {
  const findings = all.filter((finding) => !isTold(finding, all));
  return findings.filter(
    (finding, index) =>
      findings.findIndex(({ what, where }) => what === finding.what && where === finding.where) === index,
  );
}

/** Returns true for a failed start or a system error that another finding already explains. */
function isTold({ code, what }: Finding, all: readonly Finding[]): boolean {
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
