import type { DisplayAction } from "@scorel/kernel";
import type { Tool, ToolOutput } from "@scorel/tools/contract";
import type { Asked, Selection } from "./load.ts";
import type { Skills } from "./skills.ts";

const skill = { type: "string", description: "its name" };
const docs = { type: "array", items: { type: "string" } };
const every = { type: "boolean" };
const object = (properties: Record<string, unknown>, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Declares a write, so that loads of the same skill run one at a time. No real file has such a name. */
const inOrder = ({ skill: name }: { skill: string }) => ({ writes: [`skill ${name}`] });
const work = () => import("./load.ts");

/** The tools by which the model loads skills. */
export function tools(skills: Skills): Tool[] {
  // A session that started with skills keeps these tools, so that its requests stay the same.
  const before = skills.ctx.session.projection("skillIndex")?.first;
  if (skills.forModel.length === 0 && !before) return [];
  // Shipped skills have no docs, and `skill_load` can load docs too, so this tool need not be listed.
  const hasDocs = (before ?? skills.forModel).some(({ source }) => source !== "shipped");
  const select: Tool = hasDocs ? selectDocs(skills) : { ...selectDocs(skills), unlisted: true };
  const all = [load(skills), listDocs(skills), select];
  return skills.isShortened ? [...all, search(skills)] : all;
}

function load(skills: Skills): Tool<Asked> {
  return {
    name: "skill_load",
    description: "Load a skill's instructions, and docs of it by their paths; the answer lists its docs.",
    parameters: object({ skill, docs, include_all_docs: every }, ["skill"]),
    advertised: { type: "object", properties: { skill: { type: "string" }, docs }, required: ["skill"] },
    access: inOrder,
    execute: (_id, asked) => answering(async () => (await work()).load(skills, asked)),
    display: ({ skill: name, docs: chosen = [], include_all_docs: all }, result) =>
      card(`Load skill ${[name, ...(all ? ["all docs"] : chosen)].join(", ")}`, result),
  };
}

function listDocs(skills: Skills): Tool<{ skill: string }> {
  return {
    name: "skill_list_docs",
    description: "List the docs of a skill with their sizes in bytes.",
    unlisted: true,
    parameters: object({ skill }, ["skill"]),
    access: () => "read",
    execute: (_id, asked) => answering(async () => (await work()).listDocs(skills, asked.skill)),
    display: ({ skill: name }, result) => card(`Docs of skill ${name}`, result, docsIn),
  };
}

function selectDocs(skills: Skills): Tool<Selection> {
  return {
    name: "skill_select_docs",
    description:
      "Load docs of a skill, in addition to (add) or instead of (replace, default) those selected; clear ends all.",
    parameters: object(
      { skill, docs, include_all_docs: every, mode: { type: "string", enum: ["add", "replace", "clear"] } },
      ["skill"],
    ),
    prepareArguments: withPlainMode,
    access: inOrder,
    execute: (_id, asked) => answering(async () => (await work()).selectDocs(skills, asked)),
    display: ({ skill: name, docs: chosen = [], include_all_docs: all, mode = "replace" }, result) =>
      card(`Docs of skill ${name}: ${[mode, all ? "all" : chosen.join(", ")].join(" ").trim()}`, result, docsIn),
  };
}

function search(skills: Skills): Tool<{ query: string }> {
  return {
    name: "skill_search",
    description: "Find skills by words of their names and descriptions.",
    parameters: object({ query: { type: "string" } }, ["query"]),
    access: () => "read",
    execute: (_id, { query }) => answering(async () => (await import("../match/search.ts")).search(skills, query)),
    display: ({ query }, result) => card(`Find skills: ${query}`, result),
  };
}

/** A tool call as a card. */
function card(title: string, result: ToolOutput | undefined, read = (text: string) => text): DisplayAction {
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  const said = result?.content.map((block) => (block.type === "text" ? block.text : "")).join("") ?? "";
  return { display: "card", title, status, text: status === "done" ? read(said) : said };
}

/** Shows doc names instead of the JSON in the first line of a result. */
function docsIn(said: string): string {
  const [first = "", ...more] = said.split("\n");
  try {
    const read = JSON.parse(first) as { skill?: string; selected_docs?: string[] };
    const docs = read.skill === undefined ? Object.keys(read) : (read.selected_docs ?? ["all of them"]);
    return [docs.join(", ") || "none", ...more].join("\n");
  } catch {
    return said; // The result was shortened, so it is not valid JSON.
  }
}

/** Models write ` Add ` for `add`, and "" for the default. */
function withPlainMode(raw: unknown): unknown {
  const { mode, ...rest } = (raw ?? {}) as Record<string, unknown>;
  if (typeof mode !== "string") return raw;
  const plain = mode.trim().toLowerCase();
  return plain === "" ? rest : { ...rest, mode: plain };
}

async function answering(run: () => Promise<{ text: string; details?: object }>): Promise<ToolOutput> {
  const { text, details } = await run();
  return { content: [{ type: "text", text }], ...(details && { details }) };
}
