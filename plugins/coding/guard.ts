import type { ToolCallInput, ToolCallVerdict } from "@scorel/agent/contract";
import { writeRefusal } from "./control-paths.ts";
import type { Environment } from "./environment.ts";
import { locate } from "./paths.ts";

const WRITERS = new Set(["Write", "Edit"]);

/** Blocks a Write or Edit of what steers the agent or git, or lies outside the project. */
export async function guardWrites(
  { toolCall, args }: ToolCallInput,
  env: Environment,
): Promise<ToolCallVerdict | undefined> {
  const path = (args as { file_path?: unknown } | null | undefined)?.file_path;
  if (!WRITERS.has(toolCall.name) || typeof path !== "string") return undefined;
  const refusal = await writeRefusal(await locate(path, env.workspace), env.workspace);
  return refusal && { block: true, reason: refusal.message };
}
