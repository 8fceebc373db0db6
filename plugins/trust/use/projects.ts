import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { visibleName } from "@scorel/kit/text/plain";
import { shellWord } from "@scorel/kit/text/shell-word";
import type { Project, TrustRun } from "../loader.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";
import { type TrustTarget, targetOf, targetsOf } from "../targets.ts";

/**
 * The project of a directory, and whether its files may be used. Files are read only if the project was trusted before; a
 * directory with nothing to trust costs a few calls of stat. Throws TRUST_FILE.
 */
export async function projectFor(run: TrustRun, cwd: string): Promise<Project | undefined> {
  const targets = targetsOf(cwd);
  const [first] = targets;
  if (!first) return undefined;
  const project = targetOf(cwd);
  const states: TargetState[] = [];
  for (const target of targets) states.push(await stateOf(run, target));
  const [own, nested] = project ? states : [undefined, ...states];
  const notice = noticeOf(states);
  return {
    dir: project?.scorel ?? join(first.root, ".scorel"),
    trusted: own?.root !== undefined,
    ...(project && placeOf(project, own)),
    ...(nested?.root !== undefined && { nested: { folders: nested.target.folders, root: nested.root } }),
    ...(notice !== undefined && { notice }),
    ...(states.some(({ isUnreadable }) => isUnreadable) && { isUnreadable: true }),
  };
}

interface TargetState {
  target: TrustTarget;
  /** The folder to read trusted files from in place of the project's root; absent when nothing is trusted. */
  root?: string;
  /** `root` is a private copy. */
  isCopy?: boolean;
  /** There is no entry in trust.json: the user was never asked, or said no. */
  isUnknown?: boolean;
  /** A file in it cannot be read or trusted. */
  isUnreadable?: boolean;
  notice?: string;
}

async function stateOf(run: TrustRun, target: TrustTarget): Promise<TargetState> {
  const entry = entryOf(target);
  if (entry?.dev) return { target, root: target.root, notice: standing(target) };
  if (isDeveloped(target)) return { target, root: target.root };
  const isGranted = isCovered(run, target);
  if (!isGranted && !entry) return { target, isUnknown: true };
  const { readTrustTree } = await import("../read-tree.ts");
  try {
    const tree = readTrustTree(target.root, target.folders);
    if (entry?.hash !== tree.hash && !(isGranted && isFirst(run, target, tree.hash)))
      return { target, notice: isGranted ? changedMeanwhile(target) : changed(target) };
    const { keepCopy } = await import("@scorel/kit/files/copy");
    return { target, root: keepCopy(tree), isCopy: true };
  } catch (thrown) {
    if (isGranted) throw thrown;
    return { target, isUnreadable: true, notice: messageOf(thrown) };
  }
}

/** Where the files of a trusted project are read. */
function placeOf({ root, scorel }: TrustTarget, state: TargetState | undefined): Pick<Project, "root" | "files"> {
  if (state?.root === undefined) return {};
  return { root: state.root, ...(state.isCopy && { files: state.root + scorel.slice(root.length) }) };
}

/** The notices about a project. All unknown folders share one sentence, since one answer covers them. */
function noticeOf(states: readonly TargetState[]): string | undefined {
  const targets = states.filter(({ isUnknown }) => isUnknown).map(({ target }) => target);
  const notices = [...(targets.length > 0 ? [unknown(targets)] : []), ...states.flatMap(({ notice }) => notice ?? [])];
  return notices.length > 0 ? notices.join(" ") : undefined;
}

/** Whether a target, or the project that it is nested in, is trusted whatever its files are (`dev`). */
export function isDeveloped(target: TrustTarget): boolean {
  return [target, targetOf(target.path)].some((each) => each && entryOf(each)?.dev);
}

/** Whether `--trust` covers a target in this run. */
export function isCovered({ trust, cwd }: TrustRun, { path }: TrustTarget): boolean {
  return trust && targetsOf(cwd).some((target) => target.path === path);
}

/** The entry of a project in trust.json. `hasOwn` is needed: a path could be the name of an inherited property. */
export function entryOf({ path }: TrustTarget): TrustEntry | undefined {
  const { projects } = readTrust();
  return Object.hasOwn(projects, path) ? projects[path] : undefined;
}

function isFirst({ granted }: TrustRun, { path }: TrustTarget, hash: string): boolean {
  if (!granted.has(path)) granted.set(path, hash);
  return granted.get(path) === hash;
}

const how = ({ path }: TrustTarget) => `To see it and trust it: ${trustCommand("add", path)}`;

/**
 * A `scorel trust` command for a folder. If the folder's name cannot be copied from the screen, the command has to be
 * run in the folder.
 */
const trustCommand = (action: string, path: string) =>
  visibleName(path) === path
    ? `scorel trust ${action} ${shellWord(path)}`
    : `scorel trust ${action} (in ${visibleName(path)})`;

const unknown = (targets: readonly TrustTarget[]) =>
  `${targets.map(named).join(", ")} ${targets.length === 1 ? "is not trusted, so nothing in it is used" : "are not trusted, so nothing in them is used"}. ${how(targets.at(-1) as TrustTarget)}; for one run: --trust`;

const changed = (target: TrustTarget) =>
  `${named(target)} has changed since you trusted it, so nothing in it is used. To see what changed: ${trustCommand("add", target.path)}; for one run: --trust`;

const changedMeanwhile = (target: TrustTarget) =>
  `${named(target)} has changed since this run began, so --trust does not cover it and nothing in it is used. ${how(target)}`;

const standing = (target: TrustTarget) =>
  `${named(target)} is trusted whatever it contains (scorel trust --dev). To end that: ${trustCommand("remove", target.path)}`;

const named = ({ folders }: TrustTarget) => folders.map(visibleName).join(", ");
