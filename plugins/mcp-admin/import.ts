import { lstatSync, realpathSync } from "node:fs";
import type { Invocation } from "@scorel/cli/contract";
import type { BaseContext } from "@scorel/kernel";
import { rootOf } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { cleanServerName, type McpJsonServer } from "@scorel/kit/schema/mcp-json";
import { agrees } from "@scorel/kit/terminal/answer";
import { createOutput } from "@scorel/kit/terminal/output";
import { visibleName } from "@scorel/kit/text/plain";
import { addServer, configPath, type NewServer, ownNames, sameName } from "./config-file.ts";
import { errors } from "./errors.ts";
import { type Source, sources } from "./sources.ts";

interface Plan {
  wanted: NewServer[];
  /** A line for each server that is not added, with the reason. */
  skipped: string[];
}

/** Shows the servers of other programs, and adds them to the user's config.toml if the user agrees. */
export async function importServers(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const output = createOutput(invocation.stdout);
  const found = foundBy(invocation);
  const { wanted, skipped } = planOf(found);
  const lines = [...wanted.map(lineFor), ...skipped];
  await output.write(lines.map((line) => `${line}\n`).join(""));
  if (wanted.length === 0) {
    await output.write(
      `There is nothing to import${found.length === 0 ? ": neither program has a configuration" : ""}.\n`,
    );
    return 0;
  }
  assertPrivate(wanted);
  await confirm(wanted.length, invocation);
  for (const server of wanted) await addServer(server, ctx);
  await output.write(
    `Added ${wanted.map(({ name }) => name).join(", ")} to ${configPath()}. To try one: scorel mcp test <name>\n`,
  );
  return 0;
}

function foundBy({ args: [program], cwd }: Invocation): Source[] {
  const known = Object.keys(sources);
  if (program !== undefined && !known.includes(program))
    throw errors.MCP_ADMIN_PROGRAM({ given: visibleName(program), known });
  const root = rootOf(canonical(cwd));
  return known
    .filter((each) => program === undefined || each === program)
    .flatMap((each) => sources[each]?.(root) ?? []);
}

/** Decides which servers are added. A server whose name the user's configuration has already is not. */
function planOf(found: readonly Source[]): Plan {
  const taken = ownNames();
  const plan: Plan = { wanted: [], skipped: [] };
  for (const { path, servers } of found)
    for (const { name: given, flaw, ...server } of servers) {
      const name = cleanServerName(given);
      const why =
        flaw ??
        (name === "" ? "its name has no letters or digits" : undefined) ??
        (taken.some((each) => sameName(each, name)) ? `there is a server "${name}" already` : undefined);
      if (why !== undefined) plan.skipped.push(`not ${visibleName(given)} of ${path}: ${visibleName(why)}`);
      else {
        taken.push(name);
        plan.wanted.push({ name, ...withoutEmpty(server) });
      }
    }
  return plan;
}

function withoutEmpty({
  args,
  env,
  headers,
  ...server
}: Omit<McpJsonServer, "name" | "flaw">): Omit<NewServer, "name"> {
  const some = (given: object | undefined) => given !== undefined && Object.keys(given).length > 0;
  return { ...server, ...(some(args) && { args }), ...(some(env) && { env }), ...(some(headers) && { headers }) };
}

/** A server without the values of its variables and headers, which may be keys. */
function lineFor({ name, command = "", args = [], url, env = {}, headers = {} }: NewServer): string {
  const parts = [
    visibleName(url ?? [command, ...args].join(" ")),
    ...(Object.keys(env).length > 0 ? [`env: ${Object.keys(env).map(visibleName).join(", ")}`] : []),
    ...(Object.keys(headers).length > 0 ? [`headers: ${Object.keys(headers).map(visibleName).join(", ")}`] : []),
  ];
  return `${name}  ${parts.join("  ")}`;
}

/** The configuration is a file that only its user can read, unless it is a link, as to a repository of settings. Throws MCP_ADMIN_LINKED. */
function assertPrivate(servers: readonly NewServer[]): void {
  const path = configPath();
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const names = servers.filter(hasValues).map(({ name }) => name);
  if (names.length > 0) throw errors.MCP_ADMIN_LINKED({ path, target: realpathSync(path), names });
}

/** Whether it has values that are more than the names of variables. */
function hasValues({ env = {}, headers = {} }: NewServer): boolean {
  return [...Object.values(env), ...Object.values(headers)].some((value) => !/^(?:Bearer )?\$\{\w+\}$/.test(value));
}

async function confirm(count: number, invocation: Invocation): Promise<void> {
  if (invocation.options.yes === true) return;
  const question = `Add ${count === 1 ? "this server" : `these ${count} servers`} to ${configPath()}? [y/N] `;
  if (invocation.stdin.isTTY !== true || !(await agrees(question, invocation))) throw errors.MCP_ADMIN_UNCONFIRMED();
}
