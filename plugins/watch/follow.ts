import { homedir } from "node:os";
import { basename, relative } from "node:path";
import type { ExtensionsService } from "@scorel/extensions/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { WatchedFace } from "./contract.ts";
import { type Watched, watchFolders } from "./folders.ts";

/** Milliseconds after which a session that somebody else keeps busy is asked for again. */
const BUSY_MS = 250;

/** See WatchService. */
export async function follow(extensions: ExtensionsService, face: WatchedFace): Promise<() => void> {
  const following = new Following(extensions, face);
  await following.begin();
  return () => following.end();
}

class Following {
  private readonly extensions: ExtensionsService;
  private readonly face: WatchedFace;
  private readonly watched: Watched;
  /** Files that have changed since the session was opened. */
  private readonly changed = new Set<string>();
  /** The session goes on as it was, although something has changed: trust, given meanwhile, may let it be taken. */
  private refused = false;
  private ended = false;

  constructor(extensions: ExtensionsService, face: WatchedFace) {
    this.extensions = extensions;
    this.face = face;
    this.watched = watchFolders({
      changed: (files) => this.note(files),
      failed: (thrown) => face.between(() => face.kept(messageOf(thrown))),
    });
  }

  async begin(): Promise<void> {
    this.watched.look(await this.sources());
  }

  end(): void {
    this.ended = true;
    this.watched.close();
  }

  private async sources(): Promise<string[]> {
    const { client, sessionId } = this.face;
    const { meta } = await client.request("get_status", { sessionId: sessionId() });
    return this.extensions.sources(meta.cwd ?? process.cwd());
  }

  private note(files: readonly string[]): void {
    const news = files.filter((file) => this.refused || basename(file) !== "trust.json");
    const isAsked = this.changed.size > 0;
    for (const file of news) this.changed.add(file);
    if (!isAsked && news.length > 0) this.face.between(() => this.reload());
  }

  private async reload(): Promise<void> {
    if (this.ended) return;
    const { client, sessionId } = this.face;
    const files = [...this.changed];
    this.changed.clear();
    try {
      const status = await client.request("reload_session", { sessionId: sessionId() });
      this.refused = false;
      this.watched.look(await this.sources());
      await this.face.reloaded(status, `Reloaded: ${files.map((file) => shown(file, status.meta.cwd)).join(", ")}`);
    } catch (thrown) {
      if (codeOf(thrown) === "HOST_SESSION_BUSY") return this.later(files);
      this.refused = true;
      await this.face.kept(messageOf(thrown));
    }
  }

  /** A turn that nobody began here: an extension's, or another client's. */
  private later(files: readonly string[]): void {
    for (const file of files) this.changed.add(file);
    setTimeout(() => this.face.between(() => this.reload()), BUSY_MS).unref();
  }
}

/** From the working directory if it lies in it, else from the home. */
function shown(file: string, cwd = process.cwd()): string {
  const inside = relative(cwd, file);
  if (!inside.startsWith("..")) return inside;
  const home = homedir();
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
