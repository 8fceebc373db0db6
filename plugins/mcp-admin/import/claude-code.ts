import { readMcpServers } from "@scorel/kit/schema/mcp-json";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { isTable, type Table } from "@scorel/kit/values/table";
import { type Candidate, candidateOf, type Parts } from "./candidate.ts";

/** Deepest nesting of the file, which contains much more than servers. */
const MOST_LEVELS = 200;
/** Most servers of other folders that are mentioned. */
const MOST_NAMED = 50;
const KNOWN = new Set(["type", "command", "args", "env", "cwd", "url", "headers"]);

/**
 * Reads the servers from Claude Code's `~/.claude.json`: first those for the project in one of these folders, which stay limited to that
 * project, then those for all projects, and last those of other folders, which are only mentioned. Of two servers with the same name,
 * Claude Code uses the first one. Throws an error with the reason, without text of the file.
 */
export function claudeCodeServers(text: string, folders: readonly string[]): Candidate[] {
  const { mcpServers, projects } = parsed(text);
  if (projects !== undefined && !isTable(projects)) throw new Error('its "projects" is not an object');
  const all = Object.entries(isTable(projects) ? projects : {}).flatMap(([folder, project]) =>
    isTable(project) ? [{ folder, servers: project.mcpServers, disabled: namesIn(project.disabledMcpServers) }] : [],
  );
  const here = [...new Set(folders)].flatMap((folder) => all.filter((each) => each.folder === folder));
  const elsewhere = all.filter((each) => !here.includes(each));
  const own = here.flatMap(({ folder, servers, disabled }) =>
    candidatesIn(servers, (name) => ({ projects: [folder], ...(disabled.includes(name) && { enabled: false }) })),
  );
  const notHere = new Set(here.flatMap(({ disabled }) => disabled));
  const ofAll = candidatesIn(mcpServers, () => ({})).map((each) =>
    each.flaw === undefined && notHere.has(each.name)
      ? { ...each, notes: [...each.notes, "also used here, where it is disabled"] }
      : each,
  );
  return [...own, ...ofAll, ...elsewhere.flatMap(onlyNamed).slice(0, MOST_NAMED)];
}

/** Mentions servers of another folder, which have to be imported there. */
function onlyNamed({ folder, servers }: { folder: string; servers: unknown }): Candidate[] {
  const names = isTable(servers) ? Object.keys(servers) : [];
  return names.map((name) => ({ name, flaw: `it is only for ${folder}; import it there` }));
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function parsed(text: string): Table {
  if (isDeeper(text, MOST_LEVELS)) throw new Error("it is nested too deeply");
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    if (isTable(value)) return value;
  } catch {
    throw new Error("it is not valid JSON");
  }
  throw new Error("it is not a JSON object");
}

type Scope = (name: string) => Pick<Parts, "projects" | "enabled"> | object;

function candidatesIn(servers: unknown, scope: Scope): Candidate[] {
  return readMcpServers(servers ?? {}).map(({ name, flaw, ...parts }) => {
    if (flaw !== undefined) return { name, flaw };
    const table = (servers as Record<string, Table>)[name] as Table;
    const left = Object.keys(table).filter((key) => !KNOWN.has(key));
    return candidateOf(
      name,
      { ...(parts as Parts), ...scope(name) },
      left.map((key) => `without its ${key}`),
    );
  });
}
