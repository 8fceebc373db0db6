import type { BlobStore } from "@scorel/blobs/contract";
import type { EventOf, Session } from "@scorel/kernel";
import type { ArtifactContent, ArtifactVersion, SessionArtifacts } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Entry, nextVersion, versionsByName } from "./ledger.ts";
import type { UserList } from "./user-list.ts";

const USER = "user:";
const MOST_CHARACTERS = 512;

/** The artifacts of a session: their metadata is in the session's log, their bytes are blobs. */
export class Store implements SessionArtifacts {
  private readonly session: Session;
  private readonly blobs: BlobStore;
  private readonly user: UserList;
  /** Saves run one at a time, so that each gets its own version number. */
  private saving: Promise<unknown> = Promise.resolve();

  constructor(session: Session, blobs: BlobStore, user: UserList) {
    this.session = session;
    this.blobs = blobs;
    this.user = user;
  }

  save(artifact: ArtifactContent): Promise<ArtifactVersion> {
    const saved = this.saving.then(() => this.keep(artifact));
    // The caller gets the error; the next save must not.
    this.saving = saved.catch(() => {});
    return saved;
  }

  load(name: string, version?: number): (ArtifactVersion & { content: Buffer }) | undefined {
    const versions = this.versions(name);
    const latest = versions.at(-1);
    if (!latest) return undefined;
    const found = version === undefined ? latest : versions.find((each) => each.version === version);
    const first = versions[0]?.version ?? 0;
    if (!found) throw errors.ARTIFACT_VERSION({ name, version: version ?? 0, first, latest: latest.version });
    const content = this.blobs.read(found.sha256);
    if (!content) throw errors.ARTIFACT_LOST({ name, sha256: found.sha256 });
    return { ...found, content };
  }

  part({ name, sha256 }: ArtifactVersion, offset: number, length: number): Buffer {
    const part = this.blobs.part(sha256, offset, length);
    if (!part) throw errors.ARTIFACT_LOST({ name, sha256 });
    return part;
  }

  list(): ArtifactVersion[] {
    return this.histories().flatMap((versions) => versions.at(-1) ?? []);
  }

  all(): ArtifactVersion[] {
    return this.histories().flat();
  }

  versions(name: string): ArtifactVersion[] {
    const known = name.normalize("NFC");
    return versionsByName(this.entriesFor(known)).get(known) ?? [];
  }

  async remove(asked: string): Promise<boolean> {
    const name = asked.normalize("NFC");
    if (this.versions(name).length === 0) return false;
    if (name.startsWith(USER)) await this.user.remove(name);
    await this.session.append("artifact_removed", { name });
    return true;
  }

  private async keep({ name: given, content, mimeType, lineage }: ArtifactContent): Promise<ArtifactVersion> {
    const name = given.normalize("NFC");
    if (!isName(name)) throw errors.ARTIFACT_NAME({ name });
    const saved = {
      name,
      sha256: this.blobs.put(content, { durable: true }),
      size: content.length,
      mimeType,
      savedAt: Date.now(),
      ...(lineage && { lineage }),
    };
    const whole = name.startsWith(USER)
      ? await this.user.add(saved)
      : { ...saved, version: nextVersion(this.own(), name) };
    // The log also records the user's artifacts, so that their origin is known.
    await this.session.append("artifact", whole);
    return whole;
  }

  private histories(): ArtifactVersion[][] {
    const all = [...versionsByName(this.own()), ...versionsByName(this.user.entries())];
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, versions]) => versions);
  }

  private entriesFor(name: string): Entry[] {
    return name.startsWith(USER) ? this.user.entries() : this.own();
  }

  /** The history of this session's own artifacts, in log order. */
  private own(): Entry[] {
    const { tree } = this.session;
    const saved = tree.ofType("artifact");
    const removed = tree.ofType("artifact_removed");
    return [...saved, ...removed]
      .filter(({ name }) => !name.startsWith(USER))
      .sort((a, b) => a.seq - b.seq)
      .map((event) => ("version" in event ? versionOf(event) : { removed: event.name.normalize("NFC") }));
  }
}

function versionOf({ name, version, sha256, size, mimeType, savedAt, lineage }: EventOf<"artifact">): ArtifactVersion {
  return { name: name.normalize("NFC"), version, sha256, size, mimeType, savedAt, ...(lineage && { lineage }) };
}

function isName(name: string): boolean {
  const own = name.startsWith(USER) ? name.slice(USER.length) : name;
  // `name@3` asks for a version.
  if (/@\d+$/.test(name)) return false;
  return own !== "" && name.length <= MOST_CHARACTERS && name.trim() === name && !/[\p{C}\u2028\u2029]/u.test(name);
}
