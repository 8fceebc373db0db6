import { lstatSync, realpathSync } from "node:fs";
import type { Invocation } from "@scorel/cli/contract";
import type { BaseContext } from "@scorel/kernel";
import { agrees } from "@scorel/kit/terminal/answer";
import { createOutput } from "@scorel/kit/terminal/output";
import { visibleName } from "@scorel/kit/text/plain";
import { addServers, configPath, type NewServer, ownNames, sameName } from "../config-file.ts";
import { errors } from "../errors.ts";
import type { Convertible } from "./candidate.ts";
import { shownServer } from "./shown.ts";
import { type Source, sourcesOf } from "./sources.ts";

interface Plan {
  wanted: NewServer[];
  /** Lines that are shown about each server, grouped by program. */
  lines: string[];
}

/** Shows the servers of other programs, and adds them to the user's config.toml if the user agrees. */
export async function importServers(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const output = createOutput(invocation.stdout);
  const found = sourcesOf(invocation.args[0], invocation.cwd);
  const { wanted, lines } = planOf(found);
  await output.write(lines.map((line) => `${line}\n`).join(""));
  const [first] = wanted;
  if (!first) {
    await output.write(
      `There is nothing to import${found.length === 0 ? ": neither program has a configuration" : ""}.\n`,
    );
    return 0;
  }
  assertPrivate(wanted);
  await confirm(wanted.length, invocation);
  await addServers(wanted, ctx);
  const names = wanted.map(({ name }) => name).join(", ");
  await output.write(`Added ${names} to ${configPath()}. To try one: scorel mcp test ${first.name}\n`);
  return 0;
}

/** Decides which servers are added. A server whose name is already used in the user's configuration is not. */
function planOf(found: readonly Source[]): Plan {
  const inConfig = ownNames();
  const plan: Plan = { wanted: [], lines: [] };
  for (const { program, path, candidates } of found) {
    plan.lines.push(`${program}, ${visibleName(path)}:`, ...(candidates.length === 0 ? ["  no servers"] : []));
    for (const candidate of candidates) {
      const why = candidate.flaw ?? conflictOf(candidate.server, inConfig, plan.wanted);
      if (why !== undefined) plan.lines.push(visibleName(`  skip ${candidate.name}: ${why}`));
      else if (candidate.flaw === undefined) {
        plan.lines.push(`  add ${lineFor(candidate)}`);
        plan.wanted.push(candidate.server);
      }
    }
  }
  return plan;
}

function conflictOf(
  { name }: NewServer,
  inConfig: readonly string[],
  wanted: readonly NewServer[],
): string | undefined {
  if (inConfig.some((each) => sameName(each, name))) return `${configPath()} has a server of this name`;
  return wanted.some((each) => sameName(each.name, name)) ? "another one above has this name" : undefined;
}

function lineFor({ server, notes }: Convertible): string {
  return `${shownServer(server)}${notes.length > 0 ? ` [${visibleName(notes.join(", "))}]` : ""}`;
}

/**
 * Throws MCP_ADMIN_LINKED for servers with values, which may be keys, if config.toml is a link, for example into a repository of settings.
 * After `addServers`, a file that is not a link can be read by its owner only, so it may hold keys.
 */
function assertPrivate(servers: readonly NewServer[]): void {
  const path = configPath();
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const names = servers.filter(hasValues).map(({ name }) => name);
  if (names.length > 0) throw errors.MCP_ADMIN_LINKED({ path, target: realpathSync(path), names });
}

/** Whether the server has values of variables or headers that are more than references to variables. */
function hasValues({ env = {}, headers = {} }: NewServer): boolean {
  return [...Object.values(env), ...Object.values(headers)].some((value) => !/^(?:Bearer )?\$\{\w+\}$/.test(value));
}

async function confirm(count: number, invocation: Invocation): Promise<void> {
  if (invocation.options.yes === true) return;
  const servers = count === 1 ? "this server" : `these ${count} servers`;
  const question = `Add ${servers} to ${configPath()}? Programs among them run with your rights. [y/N] `;
  if (invocation.stdin.isTTY !== true || !(await agrees(question, invocation))) throw errors.MCP_ADMIN_UNCONFIRMED();
}
