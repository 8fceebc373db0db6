import { everyPage } from "@scorel/host/client";
import { visibleText } from "@scorel/kit/text/plain";
import type { ReportedSkill, SkillMiss, SkillReport, WordCount } from "@scorel/skills/contract";
import type { CommandContext } from "./command-context.ts";
import { errors } from "./errors.ts";

/** How many misses of a skill are shown; JSON output has all. */
const SHOWN = 3;
const SHORT_ID = 8;

/** `scorel skill report`: always returns 0, since a miss is not an error. */
export async function report({ request, sessionId, options, json, say }: CommandContext): Promise<number> {
  const named = options.session as string | undefined;
  if (named !== undefined && options.all === true) throw errors.SKILLBOOK_SCOPE();
  const of = options.all === true ? "all" : named;
  const asked = { sessionId, ...(of !== undefined && { of }) };
  const found = await everyPage((page) => request("report_skills", { ...asked, ...page }));
  await say(json ? `${JSON.stringify(found, null, 2)}\n` : reportText(found));
  return 0;
}

const NOTHING = "No session here was told about skills; --all includes all sessions.\n";

function reportText({ sessions, without, prompts, skills, damaged }: SkillReport): string {
  if (sessions + damaged.length === 0) return NOTHING;
  const missed = skills.filter((skill) => skill.misses > 0);
  const used = skills.filter((skill) => skill.misses === 0 && skill.loadedIn > 0);
  const rest = skills.filter((skill) => skill.misses === 0 && skill.loadedIn === 0);
  const blocks = [
    [
      `${counted(prompts, "prompt")} in ${counted(sessions, "session")} with skills${without > 0 ? `; ${without} without` : ""}`,
    ],
    ...missed.map(missedRows),
    used.length > 0 ? ["Loaded wherever their words came up:", ...used.flatMap(usedRows)] : [],
    rest.length > 0 ? ["Never loaded, and no prompt contained their words:", ...restRows(rest)] : [],
    damaged.map(({ sessionId, line, reason }) =>
      visibleText(`not read: session ${sessionId}${line === undefined ? "" : `, line ${line}`}: ${reason}`),
    ),
  ];
  const paragraphs = blocks.filter((rows) => rows.length > 0).map((rows) => rows.join("\n"));
  return `${paragraphs.join("\n\n")}\n`;
}

function missedRows(skill: ReportedSkill): string[] {
  const { name, matched, misses, missed, words } = skill;
  const more = misses - SHOWN;
  return [
    `${visibleText(name)}: never loaded where ${misses} of ${counted(matched, "prompt")} contained its words`,
    `  ${usageOf(skill)}`,
    `  words: ${list(words)}`,
    ...missed.slice(0, SHOWN).map(missRow),
    ...(more > 0 ? [`  and ${more} more; --json names the latest hundred`] : []),
    ...adviceRows(skill),
  ];
}

function missRow({ sessionId, turn, ts, prompt }: SkillMiss): string {
  const day = new Date(ts).toISOString().slice(0, 10);
  return `  ${sessionId.slice(0, SHORT_ID)}  turn ${turn}  ${day}  ${visibleText(prompt)}`;
}

function usedRows(skill: ReportedSkill): string[] {
  return [`  ${visibleText(skill.name)}: ${usageOf(skill)}`, ...lackingRows(skill)];
}

function restRows(skills: readonly ReportedSkill[]): string[] {
  const rows = skills.map(({ name, shown }) => `  ${visibleText(name)}: shown in ${counted(shown, "session")}`);
  return [...rows, "  -> list what nobody needs in [skills] disabled; otherwise use people's words in the description"];
}

function usageOf({ shown, loaded: { model, command, mention }, runs }: ReportedSkill): string {
  const ways = [
    [model, "by the model"],
    [command, "by /skill:"],
    [mention, "by $name"],
  ].flatMap(([count, way]) => (count === 0 ? [] : [`${count} ${way}`]));
  const loads = model + command + mention;
  const how = ways.length > 0 ? ` (${ways.join(", ")})` : "";
  return `shown in ${counted(shown, "session")}, loaded ${counted(loads, "time")}${how}, ${counted(runs, "run")}`;
}

/** Advice on the description, which is all that a model decides by. */
function adviceRows(skill: ReportedSkill): string[] {
  const words = skill.words.slice(0, 3).map(({ word }) => visibleText(word));
  const when = `  -> a model decides by the description alone: say in it when the skill is to be used ("Use it when … ${words.join(", ")} …")`;
  return [when, ...lackingRows(skill)];
}

function lackingRows({ lacking }: ReportedSkill): string[] {
  return lacking.length === 0
    ? []
    : [`  -> people who named it used words that its description lacks: ${list(lacking)}`];
}

function list(words: readonly WordCount[]): string {
  return words.map(({ word, prompts }) => `${visibleText(word)}${prompts > 1 ? ` (${prompts})` : ""}`).join(", ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
