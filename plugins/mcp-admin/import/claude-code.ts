import { readMcpServers } from "@scorel/kit/schema/mcp-json";
import { isDeeper } from "@scorel/kit/text/json-depth";
import { isTable, type Table } from "@scorel/kit/values/table";
import { type Candidate, candidateOf, type Parts } from "./candidate.ts";

/** Levels of the file, which keeps much more than servers. */
const MOST_LEVELS = 200;
const KNOWN = new Set(["type", "command", "args", "env", "cwd", "url", "headers"]);

/**
 * The servers in Claude Code's `~/.claude.json`: those that it has only for the project in one of these folders, which stay so, then those of
 * all projects. Of two with one name Claude Code uses the first. Throws an error with the reason, without words of the file.
 */
export function claudeCodeServers(text: string, folders: readonly string[]): Candidate[] {
  const { mcpServers, projects } = parsed(text);
  if (projects !== undefined && !isTable(projects)) throw new Error('its "projects" is not an object');
  const own = [...new Set(folders)].flatMap((folder) => {
    const project = isTable(projects) && Object.hasOwn(projects, folder) ? projects[folder] : undefined;
    return isTable(project) ? candidatesIn(project.mcpServers, { projects: [folder] }) : [];
  });
  return [...own, ...candidatesIn(mcpServers, {})];
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

function candidatesIn(servers: unknown, scope: { projects?: string[] }): Candidate[] {
  return readMcpServers(servers ?? {}).map(({ name, flaw, ...parts }) => {
    if (flaw !== undefined) return { name, flaw };
    const table = (servers as Record<string, Table>)[name] as Table;
    const left = Object.keys(table).filter((key) => !KNOWN.has(key));
    return candidateOf(
      name,
      { ...(parts as Parts), ...scope },
      left.map((key) => `without its ${key}`),
    );
  });
}
