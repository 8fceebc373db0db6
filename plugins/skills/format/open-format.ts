import { basename } from "node:path";
import type { MarkdownFile } from "@scorel/kit/markdown/front-matter";
import type { Field } from "@scorel/kit/markdown/yaml";
import type { SkillFinding } from "../contract.ts";

/** The keys of the open format (https://agentskills.io). Scorel also reads other files, and reports the differences here. */
const KNOWN = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/** Keys of other agents that Scorel supports or can safely ignore. */
const OTHERS = ["disable-model-invocation", "user-invocable", "argument-hint", "model", "version", "when_to_use"];
const LONGEST = { name: 64, description: 1_024, compatibility: 500, license: Infinity, "allowed-tools": Infinity };
/** Recommended limits of a body. */
const LINES = 500;
const TOKENS = 5_000;
/** How many links are reported at most. */
const MOST_LINKS = 20;

/** All violations of the open format in a SKILL.md, by line. `folder` is the folder that contains it. */
export function findingsIn({ fields, flaws, body, bodyLine }: MarkdownFile, folder: string): SkillFinding[] {
  const found: SkillFinding[] = flaws.map(({ line, message }) => ({ line, level: "error", message }));
  const say = (level: SkillFinding["level"], line: number, message: string) =>
    void found.push({ line, level, message });
  const at = (key: string) => fields.get(key)?.line ?? 1;
  for (const message of nameFlaws(fields.get("name"), basename(folder))) say("error", at("name"), message);
  for (const message of textFlaws("description", fields.get("description"), true))
    say("error", at("description"), message);
  for (const key of ["compatibility", "license", "allowed-tools"] as const)
    for (const message of textFlaws(key, fields.get(key), false)) say("error", at(key), message);
  for (const message of metadataFlaws(fields.get("metadata"))) say("error", at("metadata"), message);
  for (const [key, { line }] of fields) for (const [level, message] of keyFlaws(key)) say(level, line, message);
  const lines = body.split("\n").length;
  if (body === "") say("warning", bodyLine, "the body is empty: there is nothing to load");
  if (lines > LINES)
    say("warning", bodyLine, `the body has ${lines} lines; up to ${LINES} are recommended, the rest in docs`);
  const tokens = Math.ceil(Buffer.byteLength(body) / 4);
  if (tokens > TOKENS)
    say(
      "warning",
      bodyLine,
      `the body takes about ${tokens} tokens; up to ${TOKENS} are recommended, the rest in docs`,
    );
  const deep = body.split("\n").flatMap((line, at) => deepLinks(line).map((path) => ({ path, line: bodyLine + at })));
  for (const { path, line } of deep.slice(0, MOST_LINKS))
    say("warning", line, `${path} is more than one folder deep; references should be at most one folder deep`);
  return found.sort((a, b) => a.line - b.line);
}

/** Links in a Markdown line to files of the skill that are more than one folder deep. Overlong paths are ignored. */
function deepLinks(line: string): string[] {
  const targets = Array.from(line.matchAll(/\]\(([^\s()]{1,300})/g), ([, target]) => target as string);
  const paths = targets.map((target) => target.replace(/[#?].*$/, "").replace(/^\.\//, ""));
  return paths.filter((path) => !path.startsWith("/") && !path.includes(":") && path.split("/").length > 2);
}

function nameFlaws(field: Field | undefined, folder: string): string[] {
  if (field !== undefined && typeof field.value !== "string") return ["name must be a string"];
  if (typeof field?.value !== "string" || field.value.trim() === "") return ["name is missing"];
  const name = field.value.trim().normalize("NFKC");
  const length = [...name].length;
  return [
    ...(length > LONGEST.name ? [`name has ${length} characters; at most ${LONGEST.name} are allowed`] : []),
    ...(name !== name.toLowerCase() ? [`name ${JSON.stringify(name)} must be in lower case`] : []),
    ...(/^[\p{L}\p{N}-]+$/u.test(name) ? [] : [`name ${JSON.stringify(name)} may contain only letters, digits and -`]),
    ...(/^-|-$|--/.test(name) ? [`name ${JSON.stringify(name)} may neither begin or end with - nor contain --`] : []),
    ...(name === folder.normalize("NFKC")
      ? []
      : [`name ${JSON.stringify(name)} differs from the name of its folder, ${folder}`]),
  ];
}

function textFlaws(key: Exclude<keyof typeof LONGEST, "name">, field: Field | undefined, required: boolean): string[] {
  if (!field) return required ? [`${key} is missing`] : [];
  if (typeof field.value !== "string") return [`${key} must be a string`];
  const length = [...field.value.trim()].length;
  if (length === 0) return [`${key} is empty`];
  return length > LONGEST[key] ? [`${key} has ${length} characters; at most ${LONGEST[key]} are allowed`] : [];
}

function metadataFlaws(field: Field | undefined): string[] {
  if (!field) return [];
  const { value } = field;
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMap && Object.values(value).every((each) => typeof each === "string")) return [];
  return ["metadata must be a map of strings"];
}

function keyFlaws(key: string): [SkillFinding["level"], string][] {
  if (key === "allowed-tools") return [["warning", "allowed-tools grants nothing in Scorel: see [permissions]"]];
  if (KNOWN.includes(key)) return [];
  const message = `the open format does not know ${JSON.stringify(key)}`;
  return [[OTHERS.includes(key) ? "warning" : "error", message]];
}
