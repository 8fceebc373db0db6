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

/** An artifact with its inputs, recursively. A repeated artifact is not followed again, so that this ends. */
export function treeOf(artifacts: SessionArtifacts, artifact: ArtifactVersion): LineageTree {
  const all = artifacts.list().flatMap(({ name }) => artifacts.versions(name));
  const met = new Set<string>();
  let parts = 0;
  const grow = (made: ArtifactVersion): LineageTree => {
    const key = `${made.name}@${made.version}`;
    if (met.has(key)) return { artifact: made, inputs: [], again: true };
    met.add(key);
    const used = made.lineage?.inputs ?? [];
    parts += 1 + used.length;
    if (parts > MAX_PARTS) return { artifact: made, inputs: [], cut: true };
    const inputs = used.map((input) => {
      const source = sourceOf(all, input, made);
      return source ? { ...input, made: grow(source) } : input;
    });
    return { artifact: made, inputs };
  };
  return grow(artifact);
}

/** The artifact of an input: by its name, or by its bytes if it is a file that had been saved before. */
function sourceOf(all: readonly ArtifactVersion[], input: LineageInput, maker: ArtifactVersion) {
  return all.find(({ name, version, sha256, savedAt }) => {
    if (sha256 !== input.sha256) return false;
    if (input.artifact !== undefined) return name === input.artifact && version === input.version;
    return savedAt < maker.savedAt;
  });
}
