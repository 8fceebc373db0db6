import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Workspace } from "@scorel/host/contract";
import type { SkillSource } from "./contract.ts";
import { errors } from "./errors.ts";

/** A folder with skills. */
export interface Root {
  source: SkillSource;
  /** As people see it. */
  folder: string;
  /** Where it is read. */
  files: string;
}
const SHARED = [join(".agents", "skills"), join(".claude", "skills")];

/** The folders that exist, those first whose skills count first. What is wrong with a configured one is reported. */
export function rootsOf(
  workspace: Workspace | undefined,
  configured: readonly string[],
  report: (thrown: unknown) => void,
): Root[] {
  if (!workspace) return [];
  const all = [
    ...projectRoots(workspace),
    ...userRoots(workspace),
    ...configured.flatMap((given) => configuredRoot(given, workspace, report)),
    ...packageRoots(workspace),
  ];
  const seen = new Set<string>();
  return all.filter(({ files }) => !seen.has(files) && seen.add(files) && existsSync(files));
}

/** Only what the user trusts, and only from the copy of those bytes: `.scorel`, then the shared ones up to the git root. */
function projectRoots({ root, trusted, trustedCopy: copy }: Workspace): Root[] {
  if (trusted === undefined || copy === undefined) return [];
  const own: Root = { source: "project", folder: join(trusted, "skills"), files: join(copy.scorel, "skills") };
  const shared = upTo(root, dirname(trusted)).flatMap((folder) =>
    SHARED.map((path): Root => {
      const files = join(copy.root, relative(root, folder), path);
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

function configuredRoot(given: string, { home, root }: Workspace, report: (thrown: unknown) => void): Root[] {
  try {
    if (given.trim() === "") return [];
    const folder = folderOf(given, home, root);
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
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw errors.SKILL_ROOT({ root: given, reason: "only folders and file:// addresses can be roots" });
  if (text === "~" || text.startsWith("~/")) return join(home, text.slice(1));
  return isAbsolute(text) ? text : resolve(root, text);
}

function fromAddress(address: string): string {
  const { hostname } = new URL(address);
  if (hostname !== "" && hostname !== "localhost")
    throw errors.SKILL_ROOT({ root: address, reason: "a file:// address names no other machine" });
  return fileURLToPath(`file://${new URL(address).pathname}`);
}

/** What presets that are folders bring; the strongest is the last. */
function packageRoots({ packages = [] }: Workspace): Root[] {
  return packages.toReversed().map(({ folder, root }) => {
    return { source: "package", folder: join(folder, "skills"), files: join(root, "skills") };
  });
}

/** From a folder up to one that it lies in, both included. */
function upTo(top: string, from: string): string[] {
  if (from !== top && !from.startsWith(top + sep)) return [top];
  return from === top ? [top] : [from, ...upTo(top, dirname(from))];
}
