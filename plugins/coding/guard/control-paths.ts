import { basename, dirname, join, sep } from "node:path";
import { codeOf, type ScorelError } from "@scorel/kernel";
import { fold } from "@scorel/kit/files/names";
import { isWithin } from "@scorel/kit/files/paths";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { type Place, realPath } from "../files/paths.ts";
import { isInRepository } from "../files/repository.ts";

type Around = Pick<Environment, "files" | "workspace">;

/**
 * Why a file must not be written, if so: it controls the agent or git, or is outside of the project, its temporary folder and
 * the allowed directories. Write, Edit and their guard all use this check.
 */
export async function writeRefusal(place: Place, env: Around): Promise<ScorelError | undefined> {
  const { workspace } = env;
  const allowed = await Promise.all(workspace.allowWrite.map((path) => realPath(path, env)));
  const opening = allowed.filter((dir) => isWithin(dir, place.path));
  if (await isControl(place, env)) {
    if (opening.some(isControlPath) || (await isTemporary(place, env))) return undefined;
    // --allow-write opens only folders of which everything controls the agent or git, such as .scorel.
    const dir = dirname(place.path);
    return errors.PATH_CONTROL({ path: place.shown, ...(isControlPath(dir) && { dir }) });
  }
  const inside = opening.length > 0 || isWithin(await realPath(workspace.root, env), place.path);
  if (inside || (await isTemporary(place, env))) return undefined;
  return errors.PATH_OUTSIDE({ path: place.path, root: workspace.root, dir: dirname(place.path) });
}

/** Throws the refusal, unless a person approved this file for this call. */
export async function requireWritable(place: Place, env: Environment, id: string): Promise<void> {
  const refusal = env.confirmed.get(id) === place.path ? undefined : await writeRefusal(place, env);
  if (refusal) throw refusal;
}

async function isTemporary(place: Place, env: Around): Promise<boolean> {
  return isWithin(await realPath(env.workspace.temp, env), place.path);
}

/** Whether a place is a control path: by its real name, by the given name, or as the target of a control path. */
async function isControl(place: Place, env: Around): Promise<boolean> {
  const { home, root, cwd } = env.workspace;
  if (isControlPath(place.path) || isControlPath(place.lexical)) return true;
  if (await isInRepository(place.path, env.files)) return true;
  const bases = [...new Set([home, root, cwd])];
  const names = bases.flatMap((base) =>
    [".scorel", MCP_JSON, ".git", ".git/hooks", ".git/config"].map((name) => join(base, name)),
  );
  const targets = (await Promise.all(names.map((name) => targetOf(name, env)))).filter(
    (target) => target !== undefined,
  );
  // A target named `.git` was already judged by its name.
  return targets.some((target) => fold(basename(target)) !== ".git" && isWithin(target, place.path));
}

/** The real path of a control path; undefined if it cannot exist, for example below a `.git` file. */
async function targetOf(path: string, env: Around): Promise<string | undefined> {
  try {
    return await realPath(path, env);
  } catch (thrown) {
    if (codeOf(thrown) === "PATH_INVALID") return undefined;
    throw thrown;
  }
}

/**
 * Whether an absolute path controls the agent or git: a `.mcp.json`, whose programs are started, or a `.scorel` or
 * `.git` and anything inside them. In a git folder, only some plain text files are excepted: hooks, configuration,
 * `commondir` and a rebase's todo list can all make git run programs.
 */
export function isControlPath(path: string): boolean {
  const names = path.split(sep).map(fold);
  if (names.includes(".scorel") || names.at(-1) === MCP_JSON || names.at(-1) === ".git") return true;
  const git = names.indexOf(".git");
  return git >= 0 && !GIT_WORDS.has(names.slice(git + 1).join("/"));
}

const GIT_WORDS = new Set(["info/exclude", "description", "commit_editmsg", "merge_msg", "squash_msg", "tag_editmsg"]);
