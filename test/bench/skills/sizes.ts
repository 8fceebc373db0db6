import { statSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { Skill } from "@scorel/skills/contract";
import { docTexts, textsOf } from "../../../plugins/skills/format/text.ts";
import type { SkillsTest } from "../../plugins/skills/setup.ts";
import type { Actor } from "./scenarios.ts";
import { tokensIn } from "./tokens.ts";

/**
 * The cost of a skill in tokens: its line in the overview, its body, and its docs without licences. `body` is in bytes.
 */
export interface SkillSize extends Actor {
  line: number;
  bodyTokens: number;
  docTokens: number;
  /** Paths of docs that cannot be loaded. */
  refused: readonly string[];
}

/** The sizes of all skills of a session. */
export async function sizesOf({ skills }: SkillsTest): Promise<SkillSize[]> {
  return Promise.all(skills.look.skills.map(sizeOf));
}

async function sizeOf(skill: Skill): Promise<SkillSize> {
  const { name, description, files, file } = skill;
  const { body, docs } = await textsOf(skill);
  const tokens = new Map(docs.map((path) => [path, docTokens(skill, path)]));
  return {
    name,
    body: statSync(join(files, file)).size,
    docs,
    line: tokensIn(`- ${name}: ${description.replace(/\s+/g, " ").trim()}\n`),
    bodyTokens: tokensIn(body),
    docTokens: [...tokens.values()].reduce<number>((sum, count = 0) => sum + count, 0),
    refused: docs.filter((path) => tokens.get(path) === undefined),
  };
}

/** Tokens of a doc; undefined if it is too large to be loaded or cannot be read. */
function docTokens(skill: Skill, path: string): number | undefined {
  try {
    return docTexts(skill, [path], Number.POSITIVE_INFINITY).reduce((sum, { text }) => sum + tokensIn(text), 0);
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    return undefined;
  }
}

/** Whether an error says that a doc or skill cannot be loaded. */
export function isRefusal(thrown: unknown): boolean {
  return ["SKILL_UNREADABLE", "SKILL_TOO_LARGE"].includes(codeOf(thrown));
}
