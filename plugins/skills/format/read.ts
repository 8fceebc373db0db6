import { basename, join } from "node:path";
import { readWithin } from "@scorel/kit/files/read-within";
import { type MarkdownFile, parseFrontMatter } from "@scorel/kit/markdown/front-matter";
import type { Skill, SkillFinding } from "../contract.ts";
import { findingsIn } from "./open-format.ts";
import type { SkillFolder } from "./walk.ts";

/**
 * A valid name: letters, digits and a few marks, nothing invisible. It becomes a key of the session, a command and a folder
 * name.
 */
const USABLE = /^(?!.*\p{DI})[\p{L}\p{N}](?:[\p{L}\p{N}._ -]{0,126}[\p{L}\p{N}])?$/u;
/** The most bytes of a SKILL.md. The largest public one has 74 KB. */
const LARGEST_SKILL = 256 * 1024;
/** Longer descriptions are cut; the open format allows 1,024 characters. */
const LONGEST_DESCRIPTION = 1_536;

/** The metadata in a SKILL.md. */
export type Summary = Pick<Skill, "name" | "description" | "digest" | "userOnly" | "warnings">;
/** A SKILL.md with its parsed text. */
export interface WholeSkill {
  text: MarkdownFile;
  digest: string;
  findings: SkillFinding[];
}

/** Reads the SKILL.md of a folder; `shown` is the folder as shown to people. */
export async function readSkill(
  { path, file, root }: SkillFolder,
  shown = path,
): Promise<WholeSkill | { reason: string }> {
  const read = readWithin(join(path, file), root, LARGEST_SKILL);
  if ("reason" in read) return { reason: `${file}: ${read.reason}` };
  const text = await parseFrontMatter(read.text);
  if ("reason" in text) return { reason: `${file}: ${text.reason}` };
  const findings = findingsIn(text, shown);
  if (file !== "SKILL.md")
    findings.unshift({ line: 1, level: "warning", message: `the file is named ${file}, not SKILL.md` });
  return { text, digest: read.digest, findings };
}

/** The summary of a SKILL.md. As lenient as other agents: only a skill without a usable name or description is rejected. */
export function summaryOf({ text, digest, findings }: WholeSkill, shown: string): Summary | { reason: string } {
  const given = textIn(text, "name").normalize("NFKC");
  const name = [given, basename(shown)].find((each) => USABLE.test(each));
  if (name === undefined) return { reason: `neither its name (${JSON.stringify(given)}) nor its folder's can be used` };
  const description = shortened(textIn(text, "description") || oneLine(firstWords(text.body)));
  if (description === "") return { reason: "it has neither a description nor any text" };
  const userOnly = textIn(text, "disable-model-invocation").toLowerCase() === "true";
  return { name, description, digest, ...(userOnly && { userOnly }), warnings: findings };
}

/** A scalar value on one line; "" for a list or a map. */
function textIn({ fields }: MarkdownFile, key: string): string {
  const value = fields.get(key)?.value;
  return typeof value === "string" ? oneLine(value) : "";
}

/** Line breaks and control characters; `UNSEEN` matches invisible and direction-changing ones. */
const BREAKS = /[\s\p{Cc}]+/gu;
const UNSEEN = /[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu;

function oneLine(text: string): string {
  return text.replace(UNSEEN, "").replace(BREAKS, " ").trim();
}

function shortened(text: string): string {
  const points = [...text];
  return points.length <= LONGEST_DESCRIPTION ? text : `${points.slice(0, LONGEST_DESCRIPTION - 1).join("")}…`;
}

/** A replacement for a missing description: the first line of prose, else the title. */
function firstWords(body: string): string {
  const lines = body.split("\n").map((line) => line.trim());
  const prose = lines.find((line) => /^[\p{L}\p{N}]/u.test(line));
  return (prose ?? lines.find((line) => line !== "") ?? "").replace(/^#+\s*/, "");
}
