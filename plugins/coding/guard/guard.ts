import { dirname } from "node:path";
import type { ToolCallApproval, ToolCallDecision } from "@scorel/agent/contract";
import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";
import type {} from "@scorel/requests/contract";
import type { Environment } from "../environment.ts";
import { locate, type Place } from "../files/paths.ts";
import { writeRefusal } from "./control-paths.ts";

const WRITERS = new Set(["Write", "Edit"]);

/**
 * Refuses a Write or Edit that would change files that control the agent or git, or files outside of the project, unless a
 * person approves this call. No mode or rule can approve it. Where a person may be asked, a call that cannot succeed is refused at once.
 */
export async function guardWrites(
  call: ToolCallApproval,
  env: Environment,
  ctx: BaseContext,
): Promise<ToolCallDecision | undefined> {
  const { toolCall, args, refused } = call;
  const { file_path } = (args ?? {}) as { file_path?: unknown };
  env.confirmed.delete(toolCall.id);
  if (refused || !WRITERS.has(toolCall.name) || typeof file_path !== "string") return undefined;
  const place = await placeOf(file_path, env);
  if ("unusable" in place) return { block: true, reason: place.unusable };
  const refusal = await writeRefusal(place, env);
  const isAttended = ctx.find("requests")?.attended === true;
  // The error of an edit can quote the file. So for a file outside of the project, it is reported only if that file was
  // read before.
  const isTold = isAttended && (!refusal || env.coverage(place.path) !== undefined);
  const failure = isTold ? await (await import("./failing.ts")).failureOf(call, place, { env, ctx }) : undefined;
  if (failure) return { block: true, reason: failure.message };
  if (!refusal) return undefined;
  // The call runs only if a person approves it.
  env.confirmed.set(toolCall.id, place.path);
  const does = refusal.code === "PATH_CONTROL" ? "can change what Scorel or git does" : "is outside of the project";
  const opened = await openedBy(place, env);
  return { ask: `${place.path} ${does}`, reason: refusal.message, ...(opened && { allowedBy: opened }) };
}

/** The option that lets a file be written; undefined if none does. */
async function openedBy(place: Place, { files, workspace }: Environment): Promise<string | undefined> {
  const folder = dirname(place.path);
  const wider = { ...workspace, allowWrite: [...workspace.allowWrite, folder] };
  return (await writeRefusal(place, { files, workspace: wider })) ? undefined : `--allow-write ${shellWord(folder)}`;
}

/** Resolves a path. If it is invalid, returns the reason: the call then fails, without a failure of the guard. */
async function placeOf(path: string, env: Environment): Promise<Place | { unusable: string }> {
  try {
    return await locate(path, env);
  } catch (thrown) {
    if (codeOf(thrown) !== "PATH_INVALID") throw thrown;
    return { unusable: messageOf(thrown) };
  }
}
