import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";
import { groundOf, groundsOf, type TrustGround } from "../grounds.ts";
import type { Project, TrustRun } from "../loader.ts";
import { readTrust, type TrustEntry } from "../record/file.ts";

/** What a run with --trust has found when it first looked: what comes later was not there to be trusted. */
const granted = new WeakMap<TrustRun, Map<string, string>>();

/**
 * What the project of a directory has for Scorel to use, and whether it may be used. Bytes are read only when trust was
 * given before; without anything to trust this costs a few stats. Throws TRUST_FILE.
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
  /** The folder that stands for the project's root when what is trusted is read; absent when nothing is. */
  root?: string;
  /** A copy of the bytes stands for them. */
  isCopy?: boolean;
  /** Nothing is known of it: the user was never asked, or said no. */
  isUnknown?: boolean;
  /** Something in it cannot be read or vouched for. */
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

/** One sentence for all that is unknown: one answer covers it. */
function noticeOf(states: readonly GroundState[]): string | undefined {
  const grounds = states.filter(({ isUnknown }) => isUnknown).map(({ ground }) => ground);
  const notices = [...(grounds.length > 0 ? [unknown(grounds)] : []), ...states.flatMap(({ notice }) => notice ?? [])];
  return notices.length > 0 ? notices.join(" ") : undefined;
}

/** Whether it is trusted whatever it holds; so are the skills nested in a project that is. */
export function isDeveloped(ground: TrustGround): boolean {
  return [ground, groundOf(ground.path)].some((each) => each && entryOf(each)?.dev);
}

/** Whether --trust was given for it. */
export function isCovered({ trust, cwd }: TrustRun, { path }: TrustGround): boolean {
  return trust && groundsOf(cwd).some((ground) => ground.path === path);
}

/** What is known of a project; own properties only, since its name comes from a path. */
export function entryOf({ path }: TrustGround): TrustEntry | undefined {
  const { projects } = readTrust();
  return Object.hasOwn(projects, path) ? projects[path] : undefined;
}

function isFirst(run: TrustRun, { path }: TrustGround, hash: string): boolean {
  const known = granted.get(run) ?? new Map<string, string>();
  granted.set(run, known);
  if (!known.has(path)) known.set(path, hash);
  return known.get(path) === hash;
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

/** The one folder, or all of them. */
const named = ({ folders }: TrustGround) => folders.join(", ");
