import { messageOf } from "@scorel/kernel";
import type { Asked } from "../composition/asked.ts";
import { groundOf, type Project, type TrustGround } from "../paths.ts";
import { shellWord } from "../shell-word.ts";
import { readTrust, type TrustEntry } from "./file.ts";

/** What a run with --trust has found when it first looked: what comes later was not there to be trusted. */
const granted = new WeakMap<Asked, Map<string, string>>();

/**
 * What the project of a directory has for Scorel to use, and whether it may be used. Bytes are read only when trust was
 * given before; without anything to trust this costs a few stats. Throws TRUST_FILE.
 */
export async function projectFor(asked: Asked, cwd: string): Promise<Project | undefined> {
  const ground = groundOf(cwd);
  if (!ground) return undefined;
  const isGranted = asked.trust && ground.path === groundOf(asked.cwd)?.path;
  const entry = entryOf(ground);
  if (!isGranted && !entry) return { dir: ground.scorel, trusted: false, notice: unknown(ground) };
  if (entry?.dev) return { dir: ground.scorel, trusted: true, root: ground.root, notice: standing(ground) };
  const { readTree } = await import("./tree.ts");
  try {
    const tree = readTree(ground.root, ground.folders);
    if (entry?.hash !== tree.hash && !(isGranted && isFirst(asked, ground, tree.hash)))
      return { dir: ground.scorel, trusted: false, notice: isGranted ? changedMeanwhile(ground) : changed(ground) };
    const { keepCopy } = await import("./copy.ts");
    const root = keepCopy(tree);
    return { dir: ground.scorel, trusted: true, root, files: root + ground.scorel.slice(ground.root.length) };
  } catch (thrown) {
    if (isGranted) throw thrown;
    return { dir: ground.scorel, trusted: false, notice: messageOf(thrown) };
  }
}

/** What is known of a project; own properties only, since its name comes from a path. */
export function entryOf({ path }: TrustGround): TrustEntry | undefined {
  const { projects } = readTrust();
  return Object.hasOwn(projects, path) ? projects[path] : undefined;
}

function isFirst(asked: Asked, { path }: TrustGround, hash: string): boolean {
  const known = granted.get(asked) ?? new Map<string, string>();
  granted.set(asked, known);
  if (!known.has(path)) known.set(path, hash);
  return known.get(path) === hash;
}

const how = ({ path }: TrustGround) => `To see it and trust it: scorel trust add ${shellWord(path)}`;

const unknown = (ground: TrustGround) =>
  `${named(ground)} is not trusted, so nothing in it is used. ${how(ground)}; for one run: --trust`;

const changed = (ground: TrustGround) =>
  `${named(ground)} has changed since you trusted it, so nothing in it is used. To see what changed: scorel trust add ${shellWord(ground.path)}; for one run: --trust`;

const changedMeanwhile = (ground: TrustGround) =>
  `${named(ground)} has changed since this run began, so --trust does not cover it and nothing in it is used. ${how(ground)}`;

const standing = (ground: TrustGround) =>
  `${named(ground)} is trusted whatever it holds (scorel trust --dev). To end that: scorel trust remove ${shellWord(ground.path)}`;

/** The one folder, or all of them. */
const named = ({ folders }: TrustGround) => folders.join(", ");
