import type { ArtifactVersion, LineageInput, LineageTree, SessionArtifacts } from "./contract.ts";
import { errors } from "./errors.ts";

/** A version, by default the latest. Throws ARTIFACT_UNKNOWN and ARTIFACT_VERSION. */
export function versionOf(artifacts: SessionArtifacts, name: string, version?: number): ArtifactVersion {
  const versions = known(artifacts, name);
  const latest = versions.at(-1) as ArtifactVersion;
  const found = version === undefined ? latest : versions.find((each) => each.version === version);
  if (!found)
    throw errors.ARTIFACT_VERSION({
      name,
      version: version ?? 0,
      first: versions[0]?.version ?? 0,
      latest: latest.version,
    });
  return found;
}

/** All versions of an artifact. Throws ARTIFACT_UNKNOWN. */
export function known(artifacts: SessionArtifacts, name: string): ArtifactVersion[] {
  const versions = artifacts.versions(name);
  if (versions.length === 0) throw errors.ARTIFACT_UNKNOWN({ name, known: artifacts.list().map((each) => each.name) });
  return versions;
}

/** The most artifacts and inputs in an answer. */
const MAX_PARTS = 10_000;
/** The most artifacts in a row, each made from the next one. An answer that is nested more deeply could not be sent. */
const MAX_DEPTH = 200;

/**
 * An artifact with its inputs, recursively. A repeated artifact is not followed again, so that this ends. Made level by level, so that an
 * artifact is followed where it is nearest: further down, its lineage could be cut.
 */
export function treeOf(artifacts: SessionArtifacts, artifact: ArtifactVersion): LineageTree {
  const all = byContent(artifacts.all());
  const met = new Set<string>();
  let parts = 0;
  /** Adds the inputs of an artifact, and returns those that are followed. */
  const grow = (tree: LineageTree, isTooDeep: boolean): LineageTree[] => {
    const { name, version, lineage } = tree.artifact;
    const key = `${name}@${version}`;
    const used = lineage?.inputs ?? [];
    if (met.has(key)) tree.again = true;
    else if (isTooDeep || parts + 1 + used.length > MAX_PARTS) tree.cut = true;
    if (tree.again || tree.cut) return [];
    met.add(key);
    parts += 1 + used.length;
    tree.inputs = used.map((input) => {
      const source = sourceOf(all, input, tree.artifact);
      return source ? { ...input, made: { artifact: source, inputs: [] } } : input;
    });
    return tree.inputs.flatMap(({ made }) => made ?? []);
  };
  const root: LineageTree = { artifact, inputs: [] };
  let level = [root];
  for (let depth = 0; level.length > 0; depth++) level = level.flatMap((tree) => grow(tree, depth > MAX_DEPTH));
  return root;
}

/** The versions by the hash of their bytes. */
function byContent(all: readonly ArtifactVersion[]): Map<string, ArtifactVersion[]> {
  const found = new Map<string, ArtifactVersion[]>();
  for (const version of all) {
    const same = found.get(version.sha256);
    if (same) same.push(version);
    else found.set(version.sha256, [version]);
  }
  return found;
}

/** The artifact of an input: by its name, or by its bytes if it is a file that had been saved before. */
function sourceOf(all: ReadonlyMap<string, ArtifactVersion[]>, input: LineageInput, maker: ArtifactVersion) {
  return all.get(input.sha256)?.find(({ name, version, savedAt }) => {
    if (input.artifact !== undefined) return name === input.artifact && version === input.version;
    return savedAt < maker.savedAt;
  });
}
