import { basename, join } from "node:path";
import type { Skill, SkillFinding } from "./contract.ts";
import { LARGEST_SKILL, readText } from "./file.ts";
import { parseSkillText, type SkillText } from "./front-matter.ts";
import { findingsIn } from "./open-format.ts";
import type { SkillFolder } from "./walk.ts";

/** Letters, digits and a few marks within, none that cannot be seen: it becomes a key of the session, a command and the name of a folder. */
const USABLE = /^(?!.*\p{DI})[\p{L}\p{N}](?:[\p{L}\p{N}._ -]{0,126}[\p{L}\p{N}])?$/u;
/** A description longer than this is cut; the open format allows 1,024. */
const LONGEST_DESCRIPTION = 1_536;

/** What a SKILL.md says of its skill. */
export type Summary = Pick<Skill, "name" | "description" | "digest" | "userOnly" | "warnings">;
/** A SKILL.md with its text taken apart. */
export interface WholeSkill {
  text: SkillText;
  digest: string;
  findings: SkillFinding[];
}

/** Reads the SKILL.md of a folder; `shown` is the folder as people see it. */
export async function readSkill(
  { path, file, root }: SkillFolder,
  shown = path,
): Promise<WholeSkill | { reason: string }> {
  const read = readText(join(path, file), root, LARGEST_SKILL);
  if ("reason" in read) return { reason: `${file}: ${read.reason}` };
  const text = await parseSkillText(read.text);
  if ("reason" in text) return { reason: `${file}: ${text.reason}` };
  const findings = findingsIn(text, shown);
  if (file !== "SKILL.md")
    findings.unshift({ line: 1, level: "warning", message: `the file is named ${file}, not SKILL.md` });
  return { text, digest: read.digest, findings };
}

/** As lenient as users of other agents expect: only what can be neither named nor described is no skill. */
export function summaryOf({ text, digest, findings }: WholeSkill, shown: string): Summary | { reason: string } {
  const given = textIn(text, "name").normalize("NFKC");
  const name = [given, basename(shown)].find((each) => USABLE.test(each));
  if (name === undefined) return { reason: `neither its name (${JSON.stringify(given)}) nor its folder's can be used` };
  const description = shortened(textIn(text, "description") || oneLine(firstWords(text.body)));
  if (description === "") return { reason: "it has neither a description nor a text" };
  const userOnly = textIn(text, "disable-model-invocation").toLowerCase() === "true";
  return { name, description, digest, ...(userOnly && { userOnly }), warnings: findings };
}

/** A value as one line of text; a list or a map has none. */
function textIn({ fields }: SkillText, key: string): string {
  const value = fields.get(key)?.value;
  return typeof value === "string" ? oneLine(value) : "";
}

/** What ends a line for anybody, and what nobody sees or what turns others round. */
const BREAKS = /[\s\p{Cc}]+/gu;
const UNSEEN = /[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu;

function oneLine(text: string): string {
  return text.replace(UNSEEN, "").replace(BREAKS, " ").trim();
}

function shortened(text: string): string {
  const points = [...text];
  return points.length <= LONGEST_DESCRIPTION ? text : `${points.slice(0, LONGEST_DESCRIPTION - 1).join("")}…`;
}

/** Of a body whose author described it nowhere else: its first line of prose, else its title. */
function firstWords(body: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  const prose = lines.find((line) => /^[\p{L}\p{N}]/u.test(line));
  return (prose ?? lines.find((line) => line !== "") ?? "").replace(/^#+\s*/, "");
}
