import type { ToolCallApproval, ToolCallDecision } from "@scorel/agent/contract";
import { type BaseContext, codeOf, messageOf } from "@scorel/kernel";
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
  if (refusal && !isAttended) return { block: true, reason: refusal.message };
  // The error of an edit can quote the file. So for a file outside of the project, it is reported only if that file was
  // read before.
  const isTold = isAttended && (!refusal || env.coverage(place.path) !== undefined);
  const failure = isTold ? await (await import("./failing.ts")).failureOf(call, place, { env, ctx }) : undefined;
  if (failure) return { block: true, reason: failure.message };
  if (!refusal) return undefined;
  // The call runs only if a person approves it.
  env.confirmed.set(toolCall.id, place.path);
  const does = refusal.code === "PATH_CONTROL" ? "can change what Scorel or git does" : "is outside of the project";
  return { ask: `${place.path} ${does}`, reason: refusal.message };
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
