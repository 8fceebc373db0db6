import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, isAbsolute, join, normalize, posix } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { codeOf } from "@scorel/kernel";
import type { RunInput } from "./contract.ts";
import { errors } from "./errors.ts";
import { inFolder, inOwn, readWithin, removeIn } from "./folder.ts";
import type { Layout } from "./layout.ts";
import type { InputRecord } from "./metadata.ts";
import { inside, isWithin, realOf } from "./paths.ts";

const MOST_BYTES = 256 * 1024 * 1024;

export interface InputGround {
  layout: Layout;
  artifacts: SessionArtifacts | undefined;
  /** Real folders that `host://` may name. */
  host: readonly string[];
  /** The folders of staged skills, by their names. */
  skills: Readonly<Record<string, string>>;
  /** What was put where before. */
  earlier: readonly InputRecord[];
}

/** Puts an input into the workspace; answers what it was. Throws RUN_INPUT and RUN_PATH. */
export function placeInput(input: RunInput, ground: InputGround): InputRecord {
  const { from } = input;
  const [, scheme, rest = ""] = /^(\w+):\/\/(.*)$/s.exec(from) ?? [];
  if (scheme === "artifact") return placeArtifact(input, rest, ground);
  const { source, allowed } = sourceOf(scheme, rest, input, ground);
  const to = destination(input, basename(source));
  const sha256 = hashOf(source, allowed);
  inPlace(ground.layout, to, (at, name) => {
    if (input.mode === "link" && scheme !== "host") fs.symlinkSync(source, join(at, name));
    else copyInto(source, { at, name, from, allowed, left: { bytes: MOST_BYTES } });
  });
  return { from, to, sha256, ts: Date.now() };
}

interface Source {
  /** A real file or folder. */
  source: string;
  /** Real folders, in one of which it lies. */
  allowed: readonly string[];
}

function sourceOf(scheme: string | undefined, rest: string, { from }: RunInput, ground: InputGround): Source {
  const { layout, host, skills } = ground;
  if (scheme === "workspace") return existing(inside(layout.root, rest, "input"), from, [layout.root]);
  if (scheme === "skill") {
    const [name = "", ...path] = rest.split("/");
    const folder = Object.hasOwn(skills, name) ? skills[name] : undefined;
    if (folder === undefined) throw errors.RUN_INPUT({ from, reason: `the skill ${name} is not in the workspace` });
    return existing(inside(folder, path.join("/"), "input"), from, [layout.root]);
  }
  if (scheme !== "host")
    throw errors.RUN_INPUT({ from, reason: "it begins with none of artifact, host, workspace, skill" });
  return existing(hostPath(from), from, host);
}

/** Letter by letter: a path may hold what an address has to write otherwise. */
function hostPath(from: string): string {
  const path = from.slice("host://".length).replace(/^localhost(?=\/)/, "");
  if (isAbsolute(path) && !path.includes("\0")) return normalize(path);
  throw errors.RUN_INPUT({ from, reason: "it is no absolute path of this machine" });
}

function existing(path: string, from: string, allowed: readonly string[]): Source {
  const source = realOf(path);
  if (!allowed.some((folder) => isWithin(folder, source)))
    throw errors.RUN_INPUT({
      from,
      reason: "it lies outside the folders that inputs may come from: [runner] host names more",
    });
  if (!fs.existsSync(source)) throw errors.RUN_INPUT({ from, reason: "it does not exist" });
  return { source, allowed };
}

function placeArtifact(input: RunInput, rest: string, { layout, artifacts, earlier }: InputGround): InputRecord {
  const { from, pin } = input;
  if (!artifacts) throw errors.RUN_INPUT({ from, reason: "artifact service is not configured" });
  const [, name = rest, digits] = /^(.+)@(\d+)$/s.exec(rest) ?? [];
  const to = destination(input, basename(name));
  const pinned =
    pin && digits === undefined ? earlier.findLast((row) => row.to === to && row.artifact === name) : undefined;
  const wanted = digits === undefined ? pinned?.version : Number(digits);
  const found = artifacts.load(name, wanted);
  if (!found) throw errors.RUN_INPUT({ from, reason: "there is no such artifact" });
  inPlace(layout, to, (at, last) => fs.writeFileSync(join(at, last), found.content, { mode: 0o644, flag: "wx" }));
  const { sha256, version } = found;
  return { from, to, artifact: name, version, sha256, ts: Date.now() };
}

/** Where it goes, below the workspace; `inputs/x` is `work/inputs/x`. */
function destination({ to }: RunInput, source: string): string {
  const given = to === undefined || to.trim() === "" ? `work/inputs/${source}` : to.trim();
  const plain = given.replace(/^inputs(?=\/|$)/, "work/inputs");
  if (!/^(work|out)\/./.test(plain))
    throw errors.RUN_PATH({ what: "to", path: given, reason: "inputs go below work/ or out/" });
  return posix.normalize(plain);
}

/** Makes room for a name in its folder: a link in its own place is replaced, so only what is above it must not lead out. */
function inPlace({ root }: Layout, to: string, work: (at: string, name: string) => void): void {
  const [folder, name] = [posix.dirname(to), posix.basename(to)];
  inside(root, folder, "to");
  inFolder(root, folder, (at) => {
    removeIn(at, name);
    work(at, name);
  });
}

interface Copying {
  /** The open folder that it goes to, and its name there. */
  at: string;
  name: string;
  from: string;
  allowed: readonly string[];
  left: { bytes: number };
}

/** Regular files and folders; links are left out, since what they lead to was not asked for. */
function copyInto(source: string, { at, name, ...rest }: Copying): void {
  const found = fs.lstatSync(source);
  if (found.isDirectory()) {
    fs.mkdirSync(join(at, name));
    const names = fs.readdirSync(source);
    inOwn(join(at, name), (inner) => {
      for (const each of names) copyInto(join(source, each), { ...rest, at: inner, name: each });
    });
  } else if (found.isFile()) copyFile(source, join(at, name), rest);
}

function copyFile(source: string, to: string, { from, allowed, left }: Omit<Copying, "at" | "name">): void {
  left.bytes -= fs.statSync(source).size;
  if (left.bytes < 0) throw errors.RUN_INPUT({ from, reason: `it is larger than ${MOST_BYTES} bytes` });
  const { bytes, stat } = readWithin(allowed, source);
  const fd = fs.openSync(to, "wx");
  try {
    fs.writeFileSync(fd, bytes);
    fs.fchmodSync(fd, (stat.mode & 0o777) | 0o600);
  } finally {
    fs.closeSync(fd);
  }
}

/** Of a file its sha256; of a folder that of its files' names and bytes. */
export function hashOf(path: string, allowed: readonly string[] = [fs.realpathSync(path)]): string {
  const hash = createHash("sha256");
  if (fs.statSync(path).isFile()) return hash.update(readWithin(allowed, path).bytes).digest("hex");
  const visit = (folder: string, prefix: string) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) visit(join(folder, entry.name), `${prefix}${entry.name}/`);
      else if (entry.isFile())
        hash.update(`${prefix}${entry.name}\0`).update(readWithin(allowed, join(folder, entry.name)).bytes);
    }
  };
  try {
    visit(path, "");
  } catch (thrown) {
    throw errors.RUN_INPUT({ from: path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
  return hash.digest("hex");
}
