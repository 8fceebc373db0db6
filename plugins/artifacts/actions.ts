import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { printAnswer } from "@scorel/host/client";
import type { Client, HostService } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import type { ArtifactVersion } from "./contract.ts";
import { errors } from "./errors.ts";
import { inWords } from "./events.ts";

type Host = HostService | undefined;

export function list(host: Host, invocation: Invocation): Promise<number> {
  const [name] = invocation.args;
  return withSession(host, invocation, async (request, sessionId) => {
    const { artifacts } = await request("list_artifacts", { sessionId, name });
    if (invocation.options.output === "json") return `${JSON.stringify(artifacts)}\n`;
    if (artifacts.length === 0)
      invocation.stderr.write("No artifacts: none was saved in this session, or for the user.\n");
    return artifacts.map(row).join("");
  });
}

export function get(host: Host, invocation: Invocation): Promise<number> {
  const { options, cwd, args } = invocation;
  return withSession(host, invocation, async (request, sessionId) => {
    const wanted = await request("get_artifact", { sessionId, ...named(args[0] ?? "") });
    const bytes = Buffer.from(wanted.base64, "base64");
    if (options.to === undefined) return bytes;
    const file = resolve(cwd, String(options.to));
    writeNew(file, bytes);
    return `${wanted.name}@${wanted.version} is in ${file} (${inWords(bytes.length)}).\n`;
  });
}

export function remove(host: Host, invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.args;
  return withSession(host, invocation, async (request, sessionId) => {
    await request("remove_artifact", { sessionId, name });
    return `Removed ${name}. The log still says what it was.\n`;
  });
}

export function lineage(host: Host, invocation: Invocation): Promise<number> {
  const { options, args } = invocation;
  return withSession(host, invocation, async (request, sessionId) => {
    const { name, version } = named(args[0] ?? "");
    const { artifacts } = await request("list_artifacts", { sessionId, name });
    const latest = artifacts.at(-1)?.version ?? 0;
    const found = artifacts.find((each) => each.version === (version ?? latest));
    if (!found) throw errors.ARTIFACT_VERSION({ name, version: version ?? latest, latest });
    return options.output === "json" ? `${JSON.stringify(found)}\n` : story(found);
  });
}

/** `name@3`; an `@` before anything but digits is part of the name. */
function named(text: string): { name: string; version?: number } {
  const [, name, version] = /^(.+)@(\d+)$/s.exec(text) ?? [];
  return name === undefined ? { name: text } : { name, version: Number(version) };
}

function row({ name, version, size, mimeType, savedAt }: ArtifactVersion): string {
  const time = new Date(savedAt).toISOString().slice(0, 16).replace("T", " ");
  return `${time}  ${name}@${version}  ${inWords(size)}  ${mimeType}\n`;
}

function story({ name, version, sha256, size, lineage: made }: ArtifactVersion): string {
  const head = `${name}@${version}  ${inWords(size)}  sha256 ${sha256}\n`;
  if (!made) return `${head}Nothing was said of what it was made of.\n`;
  const { by, skill, command, inputs = [] } = made;
  const lines = [
    `saved by: ${by}`,
    ...(skill ? [`skill: ${skill.name} (${skill.digest})`] : []),
    ...(command === undefined ? [] : [`command: ${command}`]),
    ...inputs.map(({ from, to, sha256: hash }) => `input: ${from} as ${to} (sha256 ${hash})`),
  ];
  return head + lines.map((line) => `${line}\n`).join("");
}

function writeNew(file: string, bytes: Buffer): void {
  try {
    writeFileSync(file, bytes, { flag: "wx" });
  } catch (thrown) {
    throw codeOf(thrown) === "EEXIST" ? errors.ARTIFACT_EXISTS({ file }, { cause: thrown }) : thrown;
  }
}

/** Prints what `work` answers about the session that was asked for; bytes as they are. */
async function withSession(
  host: Host,
  invocation: Invocation,
  work: (request: Client["request"], sessionId: string) => Promise<string | Buffer>,
): Promise<number> {
  if (!host) throw errors.ARTIFACT_NO_HOST();
  const { options, cwd } = invocation;
  return printAnswer(host, invocation, async ({ request }) => {
    const asked = options.session as string | undefined;
    return work(request, asked ?? (await request("continue_session", { cwd })).sessionId);
  });
}
