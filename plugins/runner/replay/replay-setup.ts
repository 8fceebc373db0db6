import type { ReplayChange } from "@scorel/artifacts/contract";
import type { BlobStore } from "@scorel/blobs/contract";
import type { OperationContext } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import type { Skill, SkillSource } from "@scorel/skills/contract";
import type { RunnerContext } from "../config.ts";
import { errors } from "../errors.ts";
import { hostFolders } from "../run/ready.ts";
import { restoreSkill } from "../staging/skill-files.ts";
import { digestNow } from "../staging/staging.ts";
import { placeInput } from "../workspace/inputs.ts";
import { makeLayout } from "../workspace/layout.ts";
import { restore } from "../workspace/states.ts";
import type { RunRecord } from "./record.ts";

/** Reports a difference as it is found. */
export type Tell = (change: ReplayChange) => void;

/** A folder for files taken from the store. */
interface StoredFiles {
  folder: string;
  store: BlobStore;
}

/** The skill as it was at the time of the run if possible, otherwise the current one. */
export function skillForReplay(
  ctx: RunnerContext,
  { skill }: RunRecord,
  { folder, store }: StoredFiles,
  tell: Tell,
): Skill {
  const { name, digest, source, files } = skill;
  const found = ctx.find("skills")?.look.skills.find((each) => each.name === name);
  const now = found && digestNow(found);
  if (found && now === digest) return found;
  if (source === "project" && ctx.find("workspace")?.trusted === undefined)
    throw errors.RUN_REPLAY({
      name: `what the skill ${name} made`,
      reason: "it is a skill of a project that is not trusted",
    });
  const restored = restoreSkill(name, files, folder, store);
  // Which variables and whether the network are granted depends on where the skill came from.
  const kept = verifiedSkill(restored && { ...restored, source: source as SkillSource }, digest);
  const state = found ? "has changed since" : "no longer exists";
  const ran = kept
    ? "the version from that time ran"
    : "its files from that time were not kept, so the current version ran";
  tell({
    what: "skill",
    name,
    before: digest,
    ...(now !== undefined && { now }),
    note: `the skill ${name} ${state}; ${ran}`,
  });
  if (kept) return kept;
  if (found) return found;
  throw errors.RUN_REPLAY({
    name: `what the skill ${name} made`,
    reason: "the skill no longer exists, and its files are not stored",
  });
}

/**
 * Rejects a stored skill with a different digest: without a sandbox, a program may have changed the files before they were
 * stored.
 */
function verifiedSkill(kept: Skill | undefined, digest: string): Skill | undefined {
  return kept && digestNow(kept) === digest ? kept : undefined;
}

/** Restores the files of the recorded workspace into a new one. */
export function restoreWorkspace(
  ctx: RunnerContext,
  record: RunRecord,
  { folder, store }: StoredFiles,
  tell: Tell,
): void {
  const layout = makeLayout(folder);
  const ground = { layout, artifacts: undefined, host: hostFolders(ctx), skills: {}, earlier: [] };
  for (const { name, sha256 } of restore(layout.root, record.before, store))
    tell({
      what: "file",
      name,
      ...(sha256 !== undefined && { before: sha256 }),
      note: `${name} was in the workspace then, but its content was not kept`,
    });
  const { before: left } = record.more;
  if (left > 0)
    tell({ what: "file", name: "work/", note: `${left} more files were in the workspace then, but were not kept` });
  for (const { from, to, sha256: before } of record.inputs) {
    const input = { what: "input", name: to, before } as const;
    try {
      const { sha256: now } = placeInput({ from, to }, ground);
      if (now !== before) tell({ ...input, now, note: `${from} has changed since` });
    } catch (thrown) {
      tell({ ...input, note: `${from} could not be placed: ${messageOf(thrown)}` });
    }
  }
}

/** The values of variables that the call gave, read from the session's log; they are stored nowhere else. */
export async function valuesOf({ session, call, variables }: RunRecord, look: OperationContext["look"]) {
  if (call === undefined || variables.given.length === 0) return {};
  try {
    const env = await look(session, ({ kernel }) => callIn(kernel.session.tree, call));
    // A redacted value is unknown.
    return Object.fromEntries(Object.entries(env).filter(([, value]) => !value.includes("[redacted]")));
  } catch {
    return {}; // The session is gone; each variable is reported as missing.
  }
}

function callIn(tree: RunnerContext["session"]["tree"], call: string): Record<string, string> {
  for (const { message } of tree.ofType("message") as Iterable<{ message: { content: unknown } }>) {
    const blocks = Array.isArray(message.content) ? message.content : [];
    const found = blocks.find((block) => block?.type === "toolCall" && block.id === call);
    if (found) return found.arguments?.env ?? {};
  }
  return {};
}

/** The recorded input of the program. */
export function stdinOf({ stdin }: RunRecord, store: BlobStore, tell: Tell): Buffer {
  const bytes = stdin && store.read(stdin.sha256);
  if (stdin && !bytes)
    tell({
      what: "file",
      name: "stdin",
      before: stdin.sha256,
      note: "its input was not kept, so it got no input",
    });
  return bytes ?? Buffer.alloc(0);
}

/** Reports differences in the executor and in network access between the record and the replay. */
export function reportLimitsChanged(
  record: RunRecord,
  { executor: now, isOnline }: { executor: string; isOnline: boolean },
  tell: Tell,
): void {
  const { executor: before, network, skill } = record;
  if (before !== now)
    tell({ what: "executor", name: now, before, now, note: `it ran in ${before} then, and in ${now} now` });
  if (network !== isOnline)
    tell({
      what: "network",
      name: skill.name,
      note: `it had ${network ? "the" : "no"} network then, by [runner] network`,
    });
}

/**
 * Reports recorded variables whose values are not available. `given` are those of the recorded call, `declared` those
 * of the user's environment.
 */
export function reportMissingVariables(
  { variables, redacted }: RunRecord,
  given: Readonly<Record<string, string>>,
  declared: readonly string[],
  tell: Tell,
): void {
  if (redacted)
    tell({ what: "variable", name: "command", note: "its command or input contained a secret, which was not kept" });
  for (const name of variables.given)
    if (!Object.hasOwn(given, name))
      tell({ what: "variable", name, note: `${name} was set by the call, but its value is no longer known` });
  for (const name of variables.declared)
    if (!declared.includes(name))
      tell({ what: "variable", name, note: `${name} was set in your environment then, but is not set now` });
}
