import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { readWithin } from "@scorel/kit/files/read-within";
import { isFolderAt } from "@scorel/kit/files/readable";
import { parseFrontMatter } from "@scorel/kit/markdown/front-matter";
import { visibleName } from "@scorel/kit/text/plain";
import type { AgentDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { definitionOf } from "./definition.ts";
import type { AgentFolder } from "./folders.ts";

/** Maximum size of a definition in bytes. */
const LARGEST = 64 * 1024;
/** Maximum number of definitions in a folder: each is described to the model. */
const MOST = 50;
const DEEPEST = 4;

/** The valid definitions in some folders, and an error for each invalid file. */
export interface FoundAgents {
  agents: AgentDefinition[];
  flaws: Error[];
}

/** Reads the definitions in folders, highest rank first. Of two with the same name, the first one is used. */
export async function readAgents(folders: readonly AgentFolder[]): Promise<FoundAgents> {
  const all: FoundAgents = { agents: [], flaws: [] };
  for (const folder of folders) {
    const found = await agentsIn(folder);
    all.flaws.push(...found.flaws);
    all.agents.push(...found.agents.filter(({ name }) => !all.agents.some((each) => each.name === name)));
  }
  return all;
}

async function agentsIn(folder: AgentFolder): Promise<FoundAgents> {
  const { agents, flaws }: FoundAgents = { agents: [], flaws: [] };
  const refuse = (path: string, reason: string) =>
    flaws.push(errors.SUBAGENT_DEFINITION({ file: visibleName(join(folder.shown, path)), reason }));
  const paths = pathsIn(folder.path, refuse);
  if (paths.length > MOST) refuse("", `it has ${paths.length} definitions, and only the first ${MOST} are read`);
  for (const path of paths.slice(0, MOST)) {
    const made = await readAgent(folder, path);
    const known = typeof made === "string" ? undefined : agents.find(({ name }) => name === made.name);
    if (typeof made === "string") refuse(path, made);
    else if (known) refuse(path, `${known.file} has the same name, ${JSON.stringify(made.name)}`);
    else agents.push(made);
  }
  return { agents, flaws };
}

/**
 * The paths of definitions in a folder, relative to it. Links to folders are followed after all else, and no folder is read twice: two
 * links to folders around them would otherwise make paths without end.
 */
function pathsIn(folder: string, refuse: (path: string, reason: string) => void): string[] {
  const read = new Set<string>();
  const folders = [""];
  const links: string[] = [];
  const found: string[] = [];
  for (let path = folders.shift(); path !== undefined; path = folders.shift() ?? links.shift())
    try {
      const real = realpathSync(join(folder, path));
      if (read.has(real)) continue;
      read.add(real);
      for (const entry of readdirSync(real, { withFileTypes: true })) {
        const inside = join(path, entry.name);
        const isDeepest = inside.split(sep).length === DEEPEST;
        if (entry.isDirectory()) folders.push(...(isDeepest ? [] : [inside]));
        else if (entry.isSymbolicLink() && isFolderAt(join(folder, inside))) links.push(...(isDeepest ? [] : [inside]));
        else if (entry.name.endsWith(".md")) found.push(inside);
      }
    } catch (thrown) {
      refuse(path, codeOf(thrown));
    }
  return found.sort();
}

async function readAgent(
  { source, shown, path: folder }: AgentFolder,
  path: string,
): Promise<AgentDefinition | string> {
  const read = readWithin(join(folder, path), rootFor(source, folder, path), LARGEST);
  if ("reason" in read) return read.reason;
  const file = await parseFrontMatter(read.text);
  if ("reason" in file) return file.reason;
  return definitionOf(file, { source, file: visibleName(join(shown, path)), otherwise: basename(path, ".md") });
}

/** The folder that a file must be in. A link in a project must not lead out of it; a link in a user's folder may. */
function rootFor(source: AgentDefinition["source"], folder: string, path: string): string {
  const real = realpathSync(folder);
  if (source === "project") return real;
  try {
    return dirname(realpathSync(join(folder, path)));
  } catch {
    return real; // Reading the file reports the problem.
  }
}
