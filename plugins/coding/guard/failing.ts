import type { ToolCallInput } from "@scorel/agent/contract";
import { type BaseContext, ScorelError } from "@scorel/kernel";
import type { Environment } from "../environment.ts";
import { locate, type Place } from "../files/paths.ts";
import { accessError } from "../result.ts";

/** Tools that change no file. */
const HARMLESS = new Set(["Grep", "Glob", "TodoWrite"]);
/** Tools that touch the file that they name, and no other. */
const NAMED = new Set(["Read", "Edit", "Write"]);

/**
 * Why a call of Edit or Write cannot succeed, as the file is now; undefined if it may. The tool checks it again when it runs.
 * Nothing is said while an earlier call of the same reply, which may not have run yet, could change the answer.
 */
export async function failureOf(
  call: ToolCallInput,
  place: Place,
  { env, ctx }: { env: Environment; ctx: BaseContext },
): Promise<ScorelError | undefined> {
  const { name } = call.toolCall;
  if (ctx.find("tools")?.get(name)?.plugin !== ctx.plugin || (await waitsForEarlier(call, place, env)))
    return undefined;
  try {
    if (name === "Edit") await (await import("../files/edit.ts")).prepareEdit(call.args as never, place, env);
    else await (await import("../files/write.ts")).replacedBy(place, env);
    return undefined;
  } catch (thrown) {
    const failure = accessError(thrown);
    return failure instanceof ScorelError ? failure : undefined;
  }
}

/** Whether an earlier call of the same reply may touch the file. */
async function waitsForEarlier(
  { assistantMessage, toolCall }: ToolCallInput,
  place: Place,
  env: Environment,
): Promise<boolean> {
  const blocks = Array.isArray(assistantMessage.content) ? assistantMessage.content : [];
  for (const block of blocks) {
    if (block.type !== "toolCall" || HARMLESS.has(block.name)) continue;
    if (block.id === toolCall.id) return false;
    const { file_path } = block.arguments as { file_path?: unknown };
    if (!NAMED.has(block.name) || typeof file_path !== "string") return true;
    const other = await locate(file_path, env).catch(() => undefined);
    if (other?.path === place.path) return true;
  }
  return false;
}
