import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createBlobs } from "../../../plugins/blobs/store.ts";
import { isFile } from "../../../plugins/checkpoints/git/output.ts";
import { Keeper } from "../../../plugins/checkpoints/record/keeper.ts";
import { type ScannedFile, TICK_MS } from "../../../plugins/checkpoints/scan/scanned-file.ts";
import { Survey } from "../../../plugins/checkpoints/scan/survey.ts";

/** A folder with a survey of its files, without a session. */
export function surveyed(isGit: boolean, limits: { maxFiles?: number; maxScanMs?: number; fewFiles?: number } = {}) {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "scorel-survey-")));
  const root = join(base, "project");
  fs.mkdirSync(root);
  const sh = (script: string) =>
    execFileSync("sh", ["-c", script], { cwd: root, env: environment(base), stdio: "pipe" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", root, ...args], { env: environment(base), stdio: "pipe" });
  if (isGit) git("init", "-q", "-b", "main");
  const keeper = new Keeper(createBlobs(join(base, "blobs")), { maxFileBytes: 1e6, maxTurnBytes: 1e9 });
  const { maxFiles = 10_000, maxScanMs = 60_000, fewFiles = 0 } = limits;
  const survey = new Survey({
    root,
    home: base,
    keeper,
    maxFiles,
    maxScanMs,
    fewFiles,
    signal: new AbortController().signal,
  });
  return {
    root,
    base,
    survey,
    sh,
    git,
    file(name: string, content: string | Buffer) {
      fs.mkdirSync(dirname(join(root, name)), { recursive: true });
      fs.writeFileSync(join(root, name), content);
    },
    /** Waits until the times of all files are old enough to reveal later changes, and scans. */
    async settle() {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS + 5));
      await survey.scan();
    },
    /** The survey's knowledge of each file: its mode and a hash of its content. */
    known: () => rowsOf(survey.known, (oid) => git("cat-file", "blob", oid)),
    /** The same, computed by reading all files. */
    walked: () =>
      walked(
        root,
        isGit ? git("ls-files", "-z", "-c", "-o", "--exclude-standard").toString().split("\0") : namesBelow(root),
      ),
    [Symbol.dispose]() {
      survey.close();
      fs.rmSync(base, { recursive: true, force: true });
    },
  };
}

export type Rows = Record<string, string>;

function environment(home: string) {
  const who = { GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" };
  return { PATH: process.env.PATH, HOME: home, LC_ALL: "C.UTF-8", GIT_CONFIG_NOSYSTEM: "1", ...who };
}

function rowsOf(known: ReadonlyMap<string, ScannedFile>, object: (oid: string) => Buffer): Rows {
  const rows = [...known].flatMap(([path, { mode, content }]): [string, string][] => {
    if (content.kind === "absent") return [];
    if (content.kind === "symlink") return [[path, `-> ${content.target}`]];
    if (content.kind === "uncovered") return [[path, content.reason]];
    return [[path, row(mode, content.kind === "git" ? hash(object(content.oid)) : content.sha256.slice(0, 12))]];
  });
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function walked(root: string, names: readonly string[]): Rows {
  const rows = [...new Set(names)].filter(isFile).flatMap((name): [string, string][] => {
    const path = join(root, name);
    if (!isOwnFolder(dirname(path))) return [];
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) return [[name, `-> ${fs.readlinkSync(path)}`]];
    return stat?.isFile() ? [[name, row(stat.mode & 0o7777, hash(fs.readFileSync(path)))]] : [];
  });
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether a folder exists and its path contains no link. */
function isOwnFolder(path: string): boolean {
  try {
    return fs.lstatSync(path).isDirectory() && fs.realpathSync(path) === path;
  } catch {
    return false;
  }
}

function namesBelow(root: string, folder = ""): string[] {
  return fs.readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? namesBelow(root, path) : [path];
  });
}

function row(mode: number, content: string): string {
  return `${mode.toString(8)} ${content}`;
}

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}
