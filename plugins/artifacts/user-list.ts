import { readFileSync } from "node:fs";
import type { SharedFiles } from "@scorel/host/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { z } from "zod";
import type { ArtifactVersion } from "./contract.ts";
import { errors } from "./errors.ts";
import { artifactVersion } from "./events.ts";
import { type Entry, nextVersion } from "./ledger.ts";

const file = z.strictObject({
  version: z.literal(1),
  entries: z.array(z.union([artifactVersion, z.strictObject({ removed: z.string() })])),
});

/** The user's artifacts, which all sessions see: a list in a file that one process changes at a time. */
export class UserList {
  private readonly path: string;
  private readonly files: () => SharedFiles;

  constructor(path: string, files: () => SharedFiles) {
    this.path = path;
    this.files = files;
  }

  /** Throws ARTIFACT_FILE. */
  entries(): Entry[] {
    return this.parse(this.text());
  }

  /** Adds a version with the next number. */
  async add(saved: Omit<ArtifactVersion, "version">): Promise<ArtifactVersion> {
    let added: ArtifactVersion | undefined;
    await this.change((entries) => {
      added = { ...saved, version: nextVersion(entries, saved.name) };
      return [...entries, added];
    });
    return added as ArtifactVersion;
  }

  remove(name: string): Promise<void> {
    return this.change((entries) => [...entries, { removed: name }]);
  }

  /** Writes the list on one line, in the form in which a purge of blobs searches for hashes. */
  private change(change: (entries: Entry[]) => Entry[]): Promise<void> {
    return this.files().changeFile(this.path, (text) => {
      const entries = change(this.parse(text));
      return `${JSON.stringify({ version: 1, entries })}\n`;
    });
  }

  private text(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw errors.ARTIFACT_FILE({ path: this.path, reason: reasonOf(thrown) }, { cause: thrown });
    }
  }

  private parse(text: string | undefined): Entry[] {
    if (text === undefined) return [];
    try {
      return file.parse(JSON.parse(text)).entries;
    } catch (thrown) {
      const reason = thrown instanceof z.ZodError ? z.prettifyError(thrown) : messageOf(thrown);
      throw errors.ARTIFACT_FILE({ path: this.path, reason }, { cause: thrown });
    }
  }
}
