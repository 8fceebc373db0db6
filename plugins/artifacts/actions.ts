import type { Invocation } from "@scorel/cli/contract";
import { everyPage } from "@scorel/host/client";
import { printAnswer } from "@scorel/host/command-line";
import type { Client, HostService } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import { localMinute } from "@scorel/kit/text/local-time";
import { sizeText } from "@scorel/kit/text/size";
import type { SessionOptions } from "@scorel/workspace/contract";
import type { ArtifactVersion, LineageTree } from "./contract.ts";
import { errors } from "./errors.ts";

type Host = HostService | undefined;

/** The exit code of `scorel artifact replay` when something differs; 1 means an error. */
const DIFFERS = 3;

/** Runs `scorel artifact list`; returns the exit code. */
export function list(host: Host, invocation: Invocation): Promise<number> {
  const [name] = invocation.args;
  return withSession(host, invocation, async (request, sessionId) => {
    const { artifacts } = await everyPage((page) => request("list_artifacts", { sessionId, name, ...page }));
    if (invocation.options.output === "json") return `${JSON.stringify(artifacts)}\n`;
    if (artifacts.length === 0)
      invocation.stderr.write(`No artifacts: none was saved in session ${sessionId}, or for the user.\n`);
    return rows(artifacts);
  });
}

/** Runs `scorel artifact get`; returns the exit code. */
export function get(host: Host, invocation: Invocation): Promise<number> {
  const { options, cwd, args } = invocation;
  return withSession(host, invocation, async (request, sessionId) => {
    const { print, write } = await import("./get.ts");
    const asked = { sessionId, ...named(args[0] ?? "") };
    if (options.to === undefined) {
      await print(request, asked, invocation);
      return "";
    }
    // A shell leaves the `~` in --to=~/out.txt as it is.
    const file = typedPath(String(options.to), cwd);
    const { name, version, size } = await write(request, asked, file);
    return `${name}@${version} is in ${file} (${sizeText(size)}).\n`;
  });
}

/** Runs `scorel artifact rm`; returns the exit code. */
export function remove(host: Host, invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.args;
  return withSession(host, invocation, async (request, sessionId) => {
    await request("remove_artifact", { sessionId, name });
    return `Removed ${name}. The log still says what it was.\n`;
  });
}

/** Runs `scorel artifact lineage`; returns the exit code. */
export function lineage(host: Host, invocation: Invocation): Promise<number> {
  const { options, args } = invocation;
  return withSession(host, invocation, async (request, sessionId) => {
    const { artifact, inputs } = await request("get_lineage", { sessionId, ...named(args[0] ?? "") });
    return options.output === "json"
      ? `${JSON.stringify({ ...artifact, made_of: inputs })}\n`
      : lineageText(artifact, inputs);
  });
}

/** Exits with 3 when the result differs. */
export async function replay(host: Host, invocation: Invocation): Promise<number> {
  const { replayed } = await import("./replay.ts");
  const { options, args } = invocation;
  let same = false;
  const printed = await withSession(host, invocation, async (request, sessionId) => {
    const { sandbox, keep } = options as { sandbox?: SessionOptions["sandbox"]; keep?: boolean };
    const result = await request("replay_artifact", { sessionId, ...named(args[0] ?? ""), sandbox, keep });
    same = result.same;
    return options.output === "json" ? `${JSON.stringify(result)}\n` : replayed(result);
  });
  return printed === 0 && !same ? DIFFERS : printed;
}

/** Parses `name@3`; an `@` before anything but digits is part of the name. */
function named(text: string): { name: string; version?: number } {
  const [, name, version] = /^(.+)@(\d+)$/s.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, version: Number(version) };
}

function rows(artifacts: readonly ArtifactVersion[]): string {
  const names = Math.max(0, ...artifacts.map((each) => labelOf(each).length));
  const sizes = Math.max(0, ...artifacts.map(({ size }) => sizeText(size).length));
  const lines = artifacts.map((each) => {
    const time = localMinute(each.savedAt);
    return `${time}  ${labelOf(each).padEnd(names)}  ${sizeText(each.size).padStart(sizes)}  ${each.mimeType}\n`;
  });
  return lines.join("");
}

const labelOf = ({ name, version }: ArtifactVersion) => `${name}@${version}`;

function lineageText(
  { name, version, sha256, size, lineage: made }: ArtifactVersion,
  inputs: LineageTree["inputs"],
): string {
  const head = `${name}@${version}  ${sizeText(size)}  sha256 ${sha256}\n`;
  if (!made) return `${head}Its inputs were not recorded.\n`;
  const { by, skill, command } = made;
  const lines = [
    `saved by: ${by}`,
    ...(skill ? [`skill: ${skill.name} (${skill.digest})`] : []),
    ...(command === undefined ? [] : [`command: ${command}`]),
    ...inputs.flatMap((input) => branch(input)),
  ];
  return head + lines.map((line) => `${line}\n`).join("");
}

/** An input, and indented below it the inputs that it was made from. */
function branch({ from, to, sha256, made }: LineageTree["inputs"][number]): string[] {
  const head = `input: ${from} as ${to} (sha256 ${sha256})`;
  if (!made) return [head];
  const { artifact, inputs, again, cut } = made;
  const { by, skill, command } = artifact.lineage ?? {};
  const own = [skill ? `skill ${skill.name}` : by && `saved by ${by}`, command].filter(Boolean).join(" $ ");
  const of = `  = ${artifact.name}@${artifact.version}${again ? " (its inputs are shown elsewhere)" : cut ? " (too long to continue)" : own && `  ${own}`}`;
  return [head, of, ...inputs.flatMap(branch).map((line) => `    ${line}`)];
}

/** Runs `work` for the requested session and prints its result. An interrupt ends it with exit code 130. */
async function withSession(
  host: Host,
  invocation: Invocation,
  work: (request: Client["request"], sessionId: string) => Promise<string>,
): Promise<number> {
  if (!host) throw errors.ARTIFACT_NO_HOST();
  const { options, cwd, interrupt } = invocation;
  try {
    return await printAnswer(host, invocation, async (client) => {
      interrupt.addEventListener("abort", () => void client.close(), { once: true });
      const asked = options.session as string | undefined;
      const sessionId = asked ?? (await latestOf(cwd, client));
      try {
        return await work(client.request, sessionId);
      } catch (thrown) {
        if (asked !== undefined || codeOf(thrown) !== "ARTIFACT_UNKNOWN") throw thrown;
        throw errors.ARTIFACT_NOT_IN_LATEST({ message: messageOf(thrown), sessionId }, { cause: thrown });
      }
    });
  } catch (thrown) {
    if (interrupt.aborted) return 130;
    throw thrown;
  }
}

/** The latest session of a directory. It is not opened, since it may be open elsewhere. */
async function latestOf(cwd: string, { request }: Client): Promise<string> {
  const { sessions } = await request("list_sessions", { cwd, limit: 1 });
  if (!sessions[0]) throw errors.ARTIFACT_NO_SESSION({ cwd });
  return sessions[0].sessionId;
}
