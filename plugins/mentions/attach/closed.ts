import { dirname } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { PermissionsService } from "@scorel/permissions/contract";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";

/** Codes of errors that are caused by the path, not by the computer. */
const ABOUT_PATHS = ["ENOTDIR", "ELOOP", "EACCES", "EINVAL", "ENAMETOOLONG", "ENOENT"];

/** Whether an error is caused by the path. */
export function isAboutPath(thrown: unknown): boolean {
  return ABOUT_PATHS.includes(codeOf(thrown));
}

/** Why a file is not attached: a rule denies it, or the user would have to be asked. */
export interface Refusal {
  decision: "ask" | "deny";
  why: string;
}

/**
 * The reason why nothing may be disclosed about a path: neither whether it exists, nor its kind, nor the target of a link. This applies to
 * paths that rules hide, and, outside of the project, to all that may not be read without a question. Undefined for other paths.
 */
export async function whyClosed(path: string, { ctx, workspace }: Mentions): Promise<Refusal | undefined> {
  const permissions = ctx.find("permissions");
  if (!permissions) return undefined;
  const { root } = workspace();
  const [real, realRoot] = await Promise.all([realOf(path, ctx), realOf(root, ctx)]);
  const isInside = isWithin(realRoot, real);
  const hides = isInside ? await permissions.hiddenIn(realRoot, "names") : () => true;
  if (!hides(path) && !hides(real)) return undefined;
  const { decision, why } = await judged(isInside ? path : real, permissions);
  if (decision === "allow") return undefined;
  return isInside ? { decision, why } : { decision: "ask", why: "it is outside of the project" };
}

async function judged(path: string, permissions: PermissionsService): ReturnType<PermissionsService["judgeNamed"]> {
  const id = `mention${newId()}`;
  const verdict = await permissions.judgeNamed({ id, tool: "Read", args: { file_path: path } });
  permissions.takeReads(id);
  return verdict;
}

/** The real path, or that of the nearest possible folder above it if no file can have this path. */
async function realOf(path: string, ctx: Mentions["ctx"]): Promise<string> {
  try {
    return (await callable(ctx)?.realpath(path)) ?? path;
  } catch (thrown) {
    if (!isAboutPath(thrown)) throw thrown;
    const folder = dirname(path);
    return folder === path ? path : realOf(folder, ctx);
  }
}
