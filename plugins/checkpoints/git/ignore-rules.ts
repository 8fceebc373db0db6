import * as fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isUnchanged, type Times, timesOf } from "./folder-times.ts";
import { commonFolder, gitFolder } from "./index-copy.ts";

/**
 * Watches the files outside of the working tree that determine what git ignores: its configuration and included files,
 * `info/exclude` and the user's own list. The `.gitignore` files are watched with their folders.
 */
export class IgnoreRules {
  private readonly root: string;
  private readonly home: string;
  private files: ReadonlyMap<string, Times | undefined> | undefined;

  constructor(root: string, home: string) {
    this.root = root;
    this.home = home;
  }

  /** Whether a rule may have changed since `learn`. */
  haveChanged(): boolean {
    if (!this.files) return true;
    for (const [path, then] of this.files) {
      const now = statOf(path);
      if (now ? !then || !isUnchanged(then, now) : then) return true;
    }
    return false;
  }

  /** Parses the output of `git config --list --show-origin -z`, requested at `askedAt` or later. */
  learn(text: string, askedAt: number): void {
    const files = [...this.alwaysRead(), ...namedIn(text, this.root, this.home)];
    this.files = new Map(
      files.map((path) => {
        const stat = statOf(path);
        return [path, stat && timesOf(stat, askedAt)];
      }),
    );
  }

  forget(): void {
    this.files = undefined;
  }

  private alwaysRead(): string[] {
    const [own, common] = [gitFolder(this.root), commonFolder(this.root)];
    return [
      // Parts of a configuration may depend on the branch.
      ...["HEAD", "config.worktree"].map((name) => join(own, name)),
      ...["config", "info/exclude"].map((name) => join(common, name)),
      ...[".gitconfig", ".config/git/config", ".config/git/ignore"].map((name) => join(this.home, name)),
    ];
  }
}

/** Configuration files, files that they include (even if missing), and ignore lists. */
function namedIn(text: string, root: string, home: string): string[] {
  const fields = text.split("\0");
  const files = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = /^file:(.*)$/s.exec(fields[at] as string)?.[1];
    const [, key = "", value = ""] = /^([^\n]*)\n?(.*)$/s.exec(fields[at + 1] as string) ?? [];
    if (origin === undefined) continue;
    const file = resolve(root, origin);
    files.add(file);
    if (key === "core.excludesfile") files.add(expanded(value, root, home));
    if (/^include(?:if\..*)?\.path$/s.test(key)) files.add(expanded(value, dirname(file), home));
  }
  return [...files];
}

function expanded(path: string, folder: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(folder, path);
}

function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // Git cannot read it either.
  }
}
