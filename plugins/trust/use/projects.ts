import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";
import { groundOf, groundsOf, type TrustGround } from "../grounds.ts";
import type { Project, TrustRun } from "../loader.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";

/**
 * The project of a directory, and whether its files may be used. Files are read only if the project was trusted before; a
 * directory with nothing to trust costs a few calls of stat. Throws TRUST_FILE.
 */
export async function projectFor(run: TrustRun, cwd: string): Promise<Project | undefined> {
  const grounds = groundsOf(cwd);
  const [first] = grounds;
  if (!first) return undefined;
  const project = groundOf(cwd);
  const states: GroundState[] = [];
  for (const ground of grounds) states.push(await stateOf(run, ground));
  const [own, nested] = project ? states : [undefined, ...states];
  const notice = noticeOf(states);
  return {
    dir: project?.scorel ?? join(first.root, ".scorel"),
    trusted: own?.root !== undefined,
    ...(project && placeOf(project, own)),
    ...(nested?.root !== undefined && { nested: { folders: nested.ground.folders, root: nested.root } }),
    ...(notice !== undefined && { notice }),
    ...(states.some(({ isUnreadable }) => isUnreadable) && { isUnreadable: true }),
  };
}

interface GroundState {
  ground: TrustGround;
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

async function stateOf(run: TrustRun, ground: TrustGround): Promise<GroundState> {
  const entry = entryOf(ground);
  if (entry?.dev) return { ground, root: ground.root, notice: standing(ground) };
  if (isDeveloped(ground)) return { ground, root: ground.root };
  const isGranted = isCovered(run, ground);
  if (!isGranted && !entry) return { ground, isUnknown: true };
  const { readTrustTree } = await import("../read-tree.ts");
  try {
    const tree = readTrustTree(ground.root, ground.folders);
    if (entry?.hash !== tree.hash && !(isGranted && isFirst(run, ground, tree.hash)))
      return { ground, notice: isGranted ? changedMeanwhile(ground) : changed(ground) };
    const { keepCopy } = await import("@scorel/kit/files/copy");
    return { ground, root: keepCopy(tree), isCopy: true };
  } catch (thrown) {
    if (isGranted) throw thrown;
    return { ground, isUnreadable: true, notice: messageOf(thrown) };
  }
}

/** Where the files of a trusted project are read. */
function placeOf({ root, scorel }: TrustGround, state: GroundState | undefined): Pick<Project, "root" | "files"> {
  if (state?.root === undefined) return {};
  return { root: state.root, ...(state.isCopy && { files: state.root + scorel.slice(root.length) }) };
}

/** The notices about a project. All unknown folders share one sentence, since one answer covers them. */
function noticeOf(states: readonly GroundState[]): string | undefined {
  const grounds = states.filter(({ isUnknown }) => isUnknown).map(({ ground }) => ground);
  const notices = [...(grounds.length > 0 ? [unknown(grounds)] : []), ...states.flatMap(({ notice }) => notice ?? [])];
  return notices.length > 0 ? notices.join(" ") : undefined;
}

/** Whether it, or the project that it is nested in, is trusted whatever its files are. */
export function isDeveloped(ground: TrustGround): boolean {
  return [ground, groundOf(ground.path)].some((each) => each && entryOf(each)?.dev);
}

/** Whether --trust covers it in this run. */
export function isCovered({ trust, cwd }: TrustRun, { path }: TrustGround): boolean {
  return trust && groundsOf(cwd).some((ground) => ground.path === path);
}

/** The entry of a project in trust.json. `hasOwn` is needed: a path could be the name of an inherited property. */
export function entryOf({ path }: TrustGround): TrustEntry | undefined {
  const { projects } = readTrust();
  return Object.hasOwn(projects, path) ? projects[path] : undefined;
}

function isFirst({ granted }: TrustRun, { path }: TrustGround, hash: string): boolean {
  if (!granted.has(path)) granted.set(path, hash);
  return granted.get(path) === hash;
}

const how = ({ path }: TrustGround) => `To see it and trust it: scorel trust add ${shellWord(path)}`;

const unknown = (grounds: readonly TrustGround[]) =>
  `${grounds.map(named).join(", ")} is not trusted, so nothing in it is used. ${how(grounds.at(-1) as TrustGround)}; for one run: --trust`;

const changed = (ground: TrustGround) =>
  `${named(ground)} has changed since you trusted it, so nothing in it is used. To see what changed: scorel trust add ${shellWord(ground.path)}; for one run: --trust`;

const changedMeanwhile = (ground: TrustGround) =>
  `${named(ground)} has changed since this run began, so --trust does not cover it and nothing in it is used. ${how(ground)}`;

const standing = (ground: TrustGround) =>
  `${named(ground)} is trusted whatever it holds (scorel trust --dev). To end that: scorel trust remove ${shellWord(ground.path)}`;

const named = ({ folders }: TrustGround) => folders.join(", ");
