import { readMcpServers } from "@scorel/kit/schema/mcp-json";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { isTable, type Table } from "@scorel/kit/values/table";
import { type Candidate, candidateOf, type Parts } from "./candidate.ts";

/** Levels of the file, which keeps much more than servers. */
const MOST_LEVELS = 200;
/** Servers of other folders that are named. */
const MOST_NAMED = 50;
const KNOWN = new Set(["type", "command", "args", "env", "cwd", "url", "headers"]);

/**
 * The servers in Claude Code's `~/.claude.json`: those that it has only for the project in one of these folders, which stay so, then those of
 * all projects, and last those of other folders, which are only named. Of two with one name Claude Code uses the first. Throws an error with the reason, without words of the file.
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

/** Servers of another folder, which are imported there. */
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
