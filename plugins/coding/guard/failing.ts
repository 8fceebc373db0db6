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
 * Why a call of Edit or Write cannot succeed with the file as it is; undefined if it may succeed. The tool checks again
 * when it runs. Returns undefined while an earlier call of the same reply, which may not have run yet, could change the
 * answer.
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
  const { indexes, touched, unknown } = await touchesOf(assistantMessage, env);
  const index = indexes.get(toolCall.id) ?? Number.POSITIVE_INFINITY;
  return unknown < index || (touched.get(place.path) ?? index) < index;
}

/**
 * The files that calls of a reply may change. Calls after `unknown` are not listed, since every later call has to wait
 * for that one.
 */
interface Touches {
  /** The index of each call, by id. */
  indexes: ReadonlyMap<string, number>;
  /** The first call that names each file. */
  touched: ReadonlyMap<string, number>;
  /** The first call that may touch any file. */
  unknown: number;
}

const touchesByReply = new WeakMap<object, Promise<Touches>>();

/** Locates the files of a reply once for all of its calls, which share the frozen message. */
function touchesOf(reply: ToolCallInput["assistantMessage"], env: Environment): Promise<Touches> {
  const known = touchesByReply.get(reply);
  if (known) return known;
  const touches = locateAll(Array.isArray(reply.content) ? reply.content : [], env);
  touchesByReply.set(reply, touches);
  return touches;
}

async function locateAll(
  content: readonly ToolCallInput["assistantMessage"]["content"][number][],
  env: Environment,
): Promise<Touches> {
  const calls = content.filter((block) => block.type === "toolCall");
  const indexes = new Map<string, number>();
  for (const [index, { id }] of calls.entries()) if (!indexes.has(id)) indexes.set(id, index);
  const touched = new Map<string, number>();
  for (const [index, { name, arguments: args }] of calls.entries()) {
    if (HARMLESS.has(name)) continue;
    const { file_path } = args as { file_path?: unknown };
    if (!NAMED.has(name) || typeof file_path !== "string") return { indexes, touched, unknown: index };
    const path = (await locate(file_path, env).catch(() => undefined))?.path;
    if (path !== undefined && !touched.has(path)) touched.set(path, index);
  }
  return { indexes, touched, unknown: Number.POSITIVE_INFINITY };
}
