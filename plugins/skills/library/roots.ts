import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { typedPath } from "@scorel/kit/files/typed-path";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type { PlacedSkills } from "@scorel/skillstore/contract";
import type { Workspace } from "@scorel/workspace/contract";
import type { SkillSource } from "../contract.ts";
import { errors } from "../errors.ts";

/** A folder with skills. */
export interface Root {
  source: SkillSource;
  /** The folder, as shown to people. */
  folder: string;
  /** The folder that is read. */
  files: string;
  /** Set when the folder was installed from an archive. */
  stored?: PlacedSkills;
}
/** Installed skills: those that were added, and those of configured archives by their configured name. */
export interface StoredRoots {
  added: readonly PlacedSkills[];
  configured: ReadonlyMap<string, PlacedSkills>;
}
export const NONE: StoredRoots = { added: [], configured: new Map() };
/** Skill folders that other tools use, too, relative to a folder of a project or to the home. */
export const SHARED = [join(".agents", "skills"), join(".claude", "skills")];

/** The existing folders with skills, highest rank first. Errors in configured folders are reported. */
export function rootsOf(
  workspace: Workspace | undefined,
  configured: readonly string[],
  report: (thrown: unknown) => void,
  stored: StoredRoots = NONE,
): Root[] {
  if (!workspace) return [];
  const all = [
    ...nestedRoots(workspace),
    ...projectRoots(workspace),
    ...userRoots(workspace),
    ...stored.added.map((skills) => storedRoot("user", skills)),
    ...configured.flatMap((given) => configuredRoot(given, workspace, stored, report)),
    ...packageRoots(workspace),
  ];
  const seen = new Set<string>();
  // An installed folder is kept even if it is missing, so that this is reported.
  return all.filter(({ files, stored: kept }) => !seen.has(files) && seen.add(files) && (kept || existsSync(files)));
}

/** Skill folders between the working directory and `.scorel`, which are trusted separately. */
function nestedRoots({ root, nestedSkills }: Workspace): Root[] {
  if (!nestedSkills) return [];
  const top = projectPlace(root);
  return nestedSkills.folders.map((folder) => {
    return { source: "project", folder, files: join(nestedSkills.root, relative(top, folder)) };
  });
}

/** The project's skill folders, read from the trusted copy only: `.scorel`, then the shared ones up to the git root. */
function projectRoots({ root, trusted, trustedCopy: copy }: Workspace): Root[] {
  if (trusted === undefined || copy === undefined) return [];
  const own: Root = { source: "project", folder: join(trusted, "skills"), files: join(copy.scorel, "skills") };
  const top = projectPlace(root);
  const shared = upTo(top, dirname(trusted)).flatMap((folder) =>
    SHARED.map((path): Root => {
      const files = join(copy.root, relative(top, folder), path);
      return { source: "project", folder: join(folder, path), files };
    }),
  );
  return [own, ...shared];
}

function userRoots({ home }: Workspace): Root[] {
  return [join(".scorel", "skills"), ...SHARED].map((path) => {
    const folder = join(home, path);
    return { source: "user", folder, files: folder };
  });
}

function storedRoot(source: SkillSource, stored: PlacedSkills): Root {
  return { source, folder: stored.folder, files: stored.folder, stored };
}

/** The address or path of a configured root that is an archive or a single file; undefined for a folder. */
export function archiveAt(given: string, { home, root }: Workspace): string | undefined {
  const text = given.trim();
  if (/^(?:git\+)?https?:\/\//i.test(text)) return text;
  if (text === "" || /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  try {
    const path = folderOf(text, home, root);
    const stat = statSync(path, { throwIfNoEntry: false });
    const isOne = stat ? stat.isFile() : /\.(?:zip|tar\.gz|tgz|tar)$|\/skill\.md$/i.test(path);
    return isOne ? path : undefined;
  } catch {
    // The error is reported when the root is opened as a folder.
    return undefined;
  }
}

function configuredRoot(
  given: string,
  workspace: Workspace,
  stored: StoredRoots,
  report: (thrown: unknown) => void,
): Root[] {
  try {
    if (given.trim() === "") return [];
    if (archiveAt(given, workspace) !== undefined) {
      const kept = stored.configured.get(given);
      return kept ? [storedRoot("configured", kept)] : [];
    }
    const folder = folderOf(given, workspace.home, workspace.root);
    if (!existsSync(folder)) throw errors.SKILL_ROOT({ root: given, reason: "there is no such folder" });
    return [{ source: "configured", folder, files: folder }];
  } catch (thrown) {
    report(thrown);
    return [];
  }
}

function folderOf(given: string, home: string, root: string): string {
  const text = given.trim();
  if (/^file:\/\//i.test(text)) return fromAddress(text);
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme !== undefined)
    throw errors.SKILL_ROOT({
      root: `${scheme}…`,
      reason: "only folders, archives, https:// and file:// can be roots",
    });
  return typedPath(text, root, home);
}

function fromAddress(address: string): string {
  const { hostname } = new URL(address);
  if (hostname !== "" && hostname !== "localhost")
    throw errors.SKILL_ROOT({ root: "file://…", reason: "a file:// address cannot name another machine" });
  return fileURLToPath(`file://${new URL(address).pathname}`);
}

/** Skill folders of preset packages; the last package has the highest rank. */
function packageRoots({ packages = [] }: Workspace): Root[] {
  return packages.toReversed().map(({ folder, root }) => {
    return { source: "package", folder: join(folder, "skills"), files: join(root, "skills") };
  });
}

/** The folders from `from` up to `top`, both included. */
export function upTo(top: string, from: string): string[] {
  if (from !== top && !from.startsWith(top + sep)) return [top];
  return from === top ? [top] : [from, ...upTo(top, dirname(from))];
}
