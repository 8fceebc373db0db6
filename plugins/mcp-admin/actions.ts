import type { Invocation } from "@scorel/cli/contract";
import { type BaseContext, codeOf } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import { visibleName, visiblePath, visibleText } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import { untilAborted } from "@scorel/kit/values/abort";
import type { McpAccepted, McpOffers, McpServerRow } from "@scorel/mcp/contract";
import { addServer, configPath, type NewServer, removeServer } from "./config-file.ts";
import { errors } from "./errors.ts";
import { loginDialog } from "./login-dialog.ts";
import { newServer, projectAt, serverInJson } from "./new-server.ts";
import { withServers } from "./servers.ts";

type Action = (invocation: Invocation, ctx: BaseContext) => Promise<number>;

/** Exit code of a command that Ctrl-C has ended. */
const INTERRUPTED = 130;
/** Milliseconds after which the user is told that a server is still waited for. */
const SLOW_MS = 3_000;

/** Implementations of the commands `scorel mcp <action>`. */
export const actions = {
  ...{ add, "add-json": addJson, list, get, test, login, logout, remove },
  import: importAll,
} satisfies Record<string, Action>;

async function add(invocation: Invocation, ctx: BaseContext): Promise<number> {
  return addTo(invocation, newServer(invocation), ctx);
}

async function addJson(invocation: Invocation, ctx: BaseContext): Promise<number> {
  return addTo(invocation, serverInJson(invocation), ctx);
}

async function addTo(invocation: Invocation, server: NewServer, ctx: BaseContext): Promise<number> {
  if (invocation.options.scope === "project") {
    const root = projectAt(invocation.cwd);
    const path = (await import("./project-file.ts")).addToProject(server, root);
    const next = `The project's servers are used once you trust it, and again after each change: scorel trust add ${shellWord(root)}`;
    return say(invocation, `Added ${server.name} to ${visiblePath(path)}. ${next}\n`);
  }
  await addServer(server, ctx);
  const where = server.projects ? `, for sessions in ${visiblePath(server.projects.join(", "))}` : "";
  return say(
    invocation,
    `Added ${server.name} to ${configPath()}${where}. To try it: scorel mcp test ${server.name}\n`,
  );
}

async function remove(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const [name = ""] = invocation.args;
  await removeServer(name, ctx);
  return say(invocation, `Removed ${visibleName(name)} from ${configPath()}.\n`);
}

async function importAll(invocation: Invocation, ctx: BaseContext): Promise<number> {
  return (await import("./import/import.ts")).importServers(invocation, ctx);
}

async function list(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const rows = await withServers(ctx, invocation, async (service) => service.servers());
  if (invocation.options.output === "json") return say(invocation, `${JSON.stringify({ servers: rows }, null, 2)}\n`);
  if (rows.length === 0) return say(invocation, "No MCP servers are configured. To add one: scorel mcp add\n");
  return say(invocation, rows.map(lineOf).join(""));
}

async function get(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const row = await withServers(ctx, invocation, async (service) => service.named(invocation.args[0] as string));
  return say(invocation, invocation.options.output === "json" ? `${JSON.stringify(row, null, 2)}\n` : factsOf(row));
}

async function test(invocation: Invocation, ctx: BaseContext): Promise<number> {
  try {
    return await tested(invocation, ctx);
  } catch (thrown) {
    if (invocation.interrupt.aborted) return INTERRUPTED;
    throw thrown;
  }
}

async function tested(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const [name = ""] = invocation.args;
  const { row, offers, accepted } = await withServers(ctx, invocation, async (service) => {
    const started = await sayingThatItWaits(invocation, service.named(name), service.restart(name)).catch(
      (thrown: unknown) => {
        throw codeOf(thrown) === "MCP_START" ? failedTest(service.named(name), thrown) : thrown;
      },
    );
    const offers = service.offers(name);
    return { row: started, offers, accepted: invocation.options.accept ? service.accept(name) : undefined };
  });
  const found = { ...row, offers, ...(accepted && { accepted }) };
  if (invocation.options.output === "json") return say(invocation, `${JSON.stringify(found, null, 2)}\n`);
  return say(invocation, factsOf(row, offers) + (accepted ? acceptedText(accepted) : ""));
}

/** Waits for a server that starts. If that takes long, says on stderr what is waited for. */
async function sayingThatItWaits<T>(
  { stderr, interrupt }: Invocation,
  { name, target }: McpServerRow,
  starting: Promise<T>,
): Promise<T> {
  const text = `Waiting for the MCP server ${name} (${visibleName(target)}), which has not answered yet. Ctrl-C stops it.\n`;
  const timer = setTimeout(() => void createOutput(stderr).write(text), SLOW_MS);
  try {
    return await untilAborted(starting, interrupt);
  } finally {
    clearTimeout(timer);
  }
}

function failedTest({ name, target, place, problem = "it gives no reason" }: McpServerRow, cause: unknown): Error {
  const shown = { name, target: visibleName(target), place: visiblePath(place), reason: visibleName(problem) };
  return errors.MCP_ADMIN_TEST(shown, { cause });
}

async function login(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const [name = ""] = invocation.args;
  const dialog = loginDialog(invocation);
  try {
    await withServers(ctx, invocation, (service) => service.login(name, dialog));
  } finally {
    dialog.close();
  }
  return say(invocation, `Logged in at ${name}. To try it: scorel mcp test ${name}\n`);
}

async function logout(invocation: Invocation, ctx: BaseContext): Promise<number> {
  const [name = ""] = invocation.args;
  const had = await withServers(ctx, invocation, (service) => service.logout(name));
  return say(invocation, had ? `Forgot the login at ${name}.\n` : `Nobody was logged in at ${name}.\n`);
}

async function say({ stdout }: Invocation, text: string): Promise<number> {
  await createOutput(stdout).write(text);
  return 0;
}

function lineOf({ name, target, place, state }: McpServerRow): string {
  const off = state === "disabled" ? ", disabled" : "";
  return `${name}  ${visibleName(target)}  (${visibleName(place)}${off})\n`;
}

function factsOf(
  { name, target, place, env, headers, state, version, login, toolSearch, asked, problem, ...row }: McpServerRow,
  offers?: McpOffers,
): string {
  const facts = {
    [target.startsWith("http") ? "address" : "program"]: target,
    from: place,
    ...(env && { variables: env.join(", ") }),
    ...(headers && { headers: headers.join(", ") }),
    ...(state !== "off" && { state }),
    ...(version !== undefined && { version }),
    ...(login !== undefined && { login }),
    ...(toolSearch !== undefined && { ToolSearch: toolSearch }),
    ...(asked && { "has asked for": asked.join(", ") }),
    ...(problem !== undefined && { problem }),
  };
  const { tools, prompts, hasResources } = row;
  const rows = Object.entries(facts).map(([key, value]) => `  ${key}: ${visibleName(value)}\n`);
  const named = (names: readonly string[]) => names.map((each) => ({ name: each, about: "" }));
  const resources = (offers?.resources ?? []).map(({ uri, about }) => ({ name: `@${name}:${uri}`, about }));
  const lists = [
    listOf("tools", offers?.tools ?? named(tools)),
    listOf(
      "prompts",
      (offers?.prompts ?? named(prompts ?? [])).map((each) => ({ ...each, name: `/${each.name}` })),
    ),
    hasResources && resources.length === 0 ? `  resources: named in messages as @${name}:<uri>\n` : "",
    listOf("resources", resources),
  ];
  return `${name}\n${rows.join("")}${lists.join("")}`;
}

function listOf(title: string, entries: readonly { name: string; about: string }[]): string {
  const lines = entries.map(({ name, about }) => `    ${name}${about === "" ? "" : `  ${about}`}\n`);
  return lines.length === 0 ? "" : `  ${title}:\n${lines.map(visibleLine).join("")}`;
}

const visibleLine = (line: string) => `${visibleName(line.slice(0, -1))}\n`;

function acceptedText(accepted: readonly McpAccepted[]): string {
  if (accepted.length === 0) return "  accepted: nothing has changed\n";
  const rows = accepted.map(({ tool, words }) => `    ${visibleName(tool)}\n${indented(visibleText(words), 6)}\n`);
  return `  accepted:\n${rows.join("")}`;
}

const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, " ".repeat(by));
