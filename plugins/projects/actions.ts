import { isAbsolute, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { everyPage } from "@scorel/host/client";
import { printAnswer } from "@scorel/host/command-line";
import type { Client, HostService } from "@scorel/host/contract";
import type { ListedProject } from "./contract.ts";
import { errors } from "./errors.ts";

type Host = HostService | undefined;

export function list(host: Host, invocation: Invocation): Promise<number> {
  return printed(host, invocation, async (request) => {
    const { projects } = await everyPage((page) => request("list_projects", page));
    if (invocation.options.output === "json") return `${JSON.stringify(projects)}\n`;
    if (projects.length === 0)
      invocation.stderr.write("No projects yet: the first session in a directory makes one.\n");
    return projects.map(row).join("");
  });
}

export function add(host: Host, invocation: Invocation): Promise<number> {
  const { cwd, args, options } = invocation;
  const name = options.name as string | undefined;
  return printed(host, invocation, async (request) => {
    const directory = resolve(cwd, args[0] ?? ".");
    const { project } = await request("register_project", { directory, ...(name !== undefined && { name }) });
    return `${project.projectId}  ${project.name}  ${project.directory}\n`;
  });
}

export function remove(host: Host, invocation: Invocation): Promise<number> {
  const [named = ""] = invocation.args;
  return printed(host, invocation, async (request) => {
    const { text } = await request("remove_project", { project: asDirectory(named, invocation) });
    return `${text}\n`;
  });
}

export function move(host: Host, invocation: Invocation): Promise<number> {
  const [named = "", directory = ""] = invocation.args;
  return printed(host, invocation, async (request) => {
    const project = asDirectory(named, invocation);
    const { text } = await request("move_project", { project, directory: resolve(invocation.cwd, directory) });
    return `${text}\n`;
  });
}

/** Resolves a name that looks like a path. */
function asDirectory(named: string, { cwd }: Invocation): string {
  return isAbsolute(named) || named.includes("/") || /^\.\.?$/.test(named) ? resolve(cwd, named) : named;
}

async function printed(
  host: Host,
  invocation: Invocation,
  work: (request: Client["request"]) => Promise<string>,
): Promise<number> {
  if (!host) throw errors.PROJECT_NO_HOST();
  return printAnswer(host, invocation, ({ request }) => work(request));
}

function row({ projectId, name, directory, exists, sessions }: ListedProject): string {
  const count = `${sessions} ${sessions === 1 ? "session" : "sessions"}`;
  return `${[projectId, name, directory, count, ...(exists ? [] : ["(gone)"])].join("  ")}\n`;
}
