import type { Skill, SkillLook } from "@scorel/skills/contract";
import type { CommandContext } from "./command-context.ts";
import { report } from "./report.ts";

/** The longest description in a list, in characters. */
const SHOWN = 100;
/** Characters that are shown even if the terminal is too narrow. */
const LEAST = 20;

/** The actions of `scorel skill <action>`; each returns the exit code. */
export const actions = { list, show, check, report };

async function list({ request, sessionId, json, width, say }: CommandContext): Promise<number> {
  const look = await request("list_skills", { sessionId });
  await say(json ? `${JSON.stringify(look, null, 2)}\n` : listed(look, width));
  return 0;
}

async function show({ request, sessionId, args, json, say }: CommandContext): Promise<number> {
  const shown = await request("get_skill", { sessionId, name: args[0] as string });
  const { skill, docs, body } = shown;
  await say(json ? `${JSON.stringify(shown, null, 2)}\n` : described(skill, docs, body));
  return 0;
}

async function check({ request, sessionId, args, json, say }: CommandContext): Promise<number> {
  const [path] = args;
  const { files } = await request("check_skills", { sessionId, ...(path !== undefined && { path }) });
  const findings = files.flatMap(({ file, findings: found }) => found.map((each) => ({ file, ...each })));
  const broken = new Set(findings.filter(({ level }) => level === "error").map(({ file }) => file)).size;
  const rows = findings.map(({ file, line, level, message }) => `${file}:${line}: ${level}: ${message}\n`);
  const sum = `${verdict(files.length, broken)}\n`;
  await say(json ? `${JSON.stringify(files, null, 2)}\n` : [...rows, sum].join(""));
  return broken === 0 ? 0 : 1;
}

function verdict(checked: number, broken: number): string {
  if (checked === 0) return "There are no skills here to check; the shipped ones are left out.";
  const what = `${checked} ${checked === 1 ? "skill" : "skills"} checked`;
  if (broken === 0) return `${what}, ${checked === 1 ? "it keeps" : "all keep"} to the open format.`;
  return `${what}, ${broken} ${broken === 1 ? "does" : "do"} not keep to the open format.`;
}

function listed({ skills, shadowed, skipped }: SkillLook, width: number | undefined): string {
  const names = Math.max(0, ...skills.map(({ name }) => name.length));
  const sources = Math.max(0, ...skills.map(({ source }) => source.length));
  const rows = skills.map(({ name, source, description, userOnly, archive }) => {
    const from = archive ? `  (from ${archive.from})` : "";
    const before = `${name.padEnd(names)}  ${source.padEnd(sources)}  ${userOnly ? "(only you) " : ""}`;
    const room = width === undefined ? SHOWN : width - before.length - from.length;
    return `${before}${cut(description, Math.max(LEAST, Math.min(room, SHOWN)))}${from}`;
  });
  const shadows = shadowed.map(({ name, folder, by }) => `not used: ${name} in ${folder}: ${by} takes precedence`);
  const left = skipped.map(({ folder, reason }) => `no skill: ${folder}: ${reason}`);
  const lines = [...(rows.length > 0 ? rows : ["There are no skills here."]), ...shadows, ...left];
  return lines.map((line) => `${line}\n`).join("");
}

function cut(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join("")}…`;
}

function described(
  { name, source, folder, file, description, userOnly, warnings, archive }: Skill,
  docs: string[],
  body: string,
) {
  const about = [
    `${name} (${source}${userOnly ? ", only you may load it" : ""})`,
    description,
    `folder  ${folder}`,
    ...(archive ? [`from    ${archive.from}, added as ${archive.name}, files sha256 ${archive.tree}`] : []),
    `text    ${Buffer.byteLength(body)} bytes, about ${Math.ceil(Buffer.byteLength(body) / 4)} tokens`,
    `docs    ${docs.join(", ") || "none"}`,
    ...warnings.map(({ line, message }) => `${file}:${line}: ${message}`),
  ];
  return `${about.join("\n")}\n\n${body}\n`;
}
