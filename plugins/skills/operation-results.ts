import { z } from "zod";

const skillArchive = z.strictObject({ name: z.string(), from: z.string(), tree: z.string() });
const skillFinding = z.strictObject({ line: z.number(), level: z.enum(["error", "warning"]), message: z.string() });
const skill = z.strictObject({
  name: z.string(),
  description: z.string(),
  source: z.enum(["user", "project", "configured", "package", "shipped"]),
  folder: z.string(),
  files: z.string(),
  file: z.string(),
  root: z.string(),
  digest: z.string(),
  archive: skillArchive.optional(),
  userOnly: z.literal(true).optional(),
  isUnlisted: z.literal(true).optional(),
  warnings: z.array(skillFinding).readonly(),
});
const shadowedSkill = z.strictObject({
  name: z.string(),
  folder: z.string(),
  source: z.enum(["user", "project", "configured", "package", "shipped"]),
  by: z.string(),
});
const skippedSkill = z.strictObject({ folder: z.string(), reason: z.string() });
const skillLook = z.strictObject({
  skills: z.array(skill).readonly(),
  shadowed: z.array(shadowedSkill).readonly(),
  skipped: z.array(skippedSkill).readonly(),
});
const skillMiss = z.strictObject({
  sessionId: z.string(),
  eventId: z.string(),
  turn: z.number(),
  ts: z.number(),
  words: z.array(z.string()),
  prompt: z.string(),
});
const wordCount = z.strictObject({ word: z.string(), prompts: z.number() });
const reportedSkill = z.strictObject({
  name: z.string(),
  description: z.string(),
  shown: z.number(),
  matched: z.number(),
  loaded: z.strictObject({ model: z.number(), command: z.number(), mention: z.number() }),
  loadedIn: z.number(),
  runs: z.number(),
  misses: z.number(),
  missed: z.array(skillMiss),
  words: z.array(wordCount),
  lacking: z.array(wordCount),
});
const skillReport = z.strictObject({
  sessions: z.number(),
  without: z.number(),
  prompts: z.number(),
  skills: z.array(reportedSkill),
  damaged: z.array(z.strictObject({ sessionId: z.string(), line: z.number().optional(), reason: z.string() })),
});

/** The schemas of what the operations return. */
export const results = {
  list_skills: skillLook,
  get_skill: z.strictObject({ skill, body: z.string(), docs: z.array(z.string()) }),
  read_skills: skillLook,
  preview_skills: skillLook,
  skill_sources: z.strictObject({ roots: z.array(z.string()), allowHosts: z.array(z.string()) }),
  check_skills: z.strictObject({
    files: z.array(z.strictObject({ file: z.string(), findings: z.array(skillFinding) })),
  }),
  report_skills: skillReport,
};
