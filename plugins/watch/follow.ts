import { homedir } from "node:os";
import { basename, relative } from "node:path";
import type { ExtensionsService } from "@scorel/extensions/contract";
import { codeOf, messageOf } from "@scorel/kernel";
import type { WatchedFace } from "./contract.ts";
import { type FolderWatcher, watchFolders } from "./folders.ts";

/** Milliseconds to wait before trying again when another client keeps the session busy. */
const BUSY_MS = 250;

/** Implements WatchService.follow. */
export async function follow(extensions: ExtensionsService, face: WatchedFace): Promise<() => void> {
  const following = new Following(extensions, face);
  await following.begin();
  return () => following.end();
}

class Following {
  private readonly extensions: ExtensionsService;
  private readonly face: WatchedFace;
  private readonly watched: FolderWatcher;
  /** Files that changed since the session was opened. */
  private readonly changed = new Set<string>();
  /** True after a refused reload: granting trust may then allow it. */
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

  /** Tries again after `BUSY_MS`, because an extension or another client runs a turn. */
  private later(files: readonly string[]): void {
    for (const file of files) this.changed.add(file);
    setTimeout(() => this.face.between(() => this.reload()), BUSY_MS).unref();
  }
}

/** Returns a path relative to the working directory if it is inside, else with `~` for home. */
function shown(file: string, cwd = process.cwd()): string {
  const inside = relative(cwd, file);
  if (!inside.startsWith("..")) return inside;
  const home = homedir();
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
