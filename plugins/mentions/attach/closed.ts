import { dirname } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { PermissionsService } from "@scorel/permissions/contract";
import { callable } from "../executor.ts";
import type { Mentions } from "../mentions.ts";

/** Failures that say something about a path, not about the computer. */
const ABOUT_PATHS = ["ENOTDIR", "ELOOP", "EACCES", "EINVAL", "ENAMETOOLONG", "ENOENT"];

export function isAboutPath(thrown: unknown): boolean {
  return ABOUT_PATHS.includes(codeOf(thrown));
}

/** Why something is not attached: a rule denies it, or a person would have to be asked. */
export interface Refusal {
  decision: "ask" | "deny";
  why: string;
}

/**
 * Why nothing is told about a path: neither whether something is there, nor of what kind it is, nor where a link leads. That holds for
 * what rules hide, and outside of the project for all that may not be read without a question. Undefined for any other path.
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

/** Where a path leads, or its nearest folder that leads anywhere, if no file can have this path. */
async function realOf(path: string, ctx: Mentions["ctx"]): Promise<string> {
  try {
    return (await callable(ctx)?.realpath(path)) ?? path;
  } catch (thrown) {
    if (!isAboutPath(thrown)) throw thrown;
    const folder = dirname(path);
    return folder === path ? path : realOf(folder, ctx);
  }
}
