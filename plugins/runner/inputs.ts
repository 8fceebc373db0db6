import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, posix } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { codeOf } from "@scorel/kernel";
import type { RunInput } from "./contract.ts";
import { errors } from "./errors.ts";
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
  const source = sourceOf(scheme, rest, input, ground);
  const to = destination(input, basename(source), ground.layout);
  if (input.mode === "link" && scheme !== "host") link(source, to.path);
  else copy(source, to.path, from);
  return { from, to: to.name, sha256: hashOf(source), ts: Date.now() };
}

/** A real file or folder. */
function sourceOf(scheme: string | undefined, rest: string, { from }: RunInput, ground: InputGround): string {
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

function existing(path: string, from: string, allowed: readonly string[]): string {
  const real = realOf(path);
  if (!allowed.some((folder) => isWithin(folder, real)))
    throw errors.RUN_INPUT({
      from,
      reason: "it lies outside the folders that inputs may come from: [runner] host names more",
    });
  if (!fs.existsSync(real)) throw errors.RUN_INPUT({ from, reason: "it does not exist" });
  return real;
}

function placeArtifact(input: RunInput, rest: string, { layout, artifacts, earlier }: InputGround): InputRecord {
  const { from, pin } = input;
  if (!artifacts) throw errors.RUN_INPUT({ from, reason: "artifact service is not configured" });
  const [, name = rest, digits] = /^(.+)@(\d+)$/s.exec(rest) ?? [];
  const to = destination(input, basename(name), layout);
  const pinned =
    pin && digits === undefined ? earlier.findLast((row) => row.to === to.name && row.artifact === name) : undefined;
  const wanted = digits === undefined ? pinned?.version : Number(digits);
  const found = artifacts.load(name, wanted);
  if (!found) throw errors.RUN_INPUT({ from, reason: "there is no such artifact" });
  clear(to.path);
  fs.writeFileSync(to.path, found.content, { mode: 0o644, flag: "wx" });
  const { sha256, version } = found;
  return { from, to: to.name, artifact: name, version, sha256, ts: Date.now() };
}

/** Where it goes, as a path and as a name below the workspace; `inputs/x` is `work/inputs/x`. */
function destination({ to }: RunInput, source: string, { root }: Layout): { path: string; name: string } {
  const given = to === undefined || to.trim() === "" ? `work/inputs/${source}` : to.trim();
  const plain = given.replace(/^inputs(?=\/|$)/, "work/inputs");
  if (!/^(work|out)\/./.test(plain))
    throw errors.RUN_PATH({ what: "to", path: given, reason: "inputs go below work/ or out/" });
  const name = posix.normalize(plain);
  // A link in its own place is replaced, so only what is above it must not lead out.
  const folder = inside(root, posix.dirname(name), "to");
  return { path: join(folder, posix.basename(name)), name };
}

/** Nothing that a link in its place leads to is touched. */
function clear(path: string): void {
  fs.rmSync(path, { recursive: true, force: true });
  fs.mkdirSync(dirname(path), { recursive: true });
}

function link(source: string, to: string): void {
  clear(to);
  fs.symlinkSync(source, to);
}

function copy(source: string, to: string, from: string): void {
  clear(to);
  const left = { bytes: MOST_BYTES };
  copyInto(source, to, from, left);
}

/** Regular files and folders; links are left out, since what they lead to was not asked for. */
function copyInto(source: string, to: string, from: string, left: { bytes: number }): void {
  const stat = fs.lstatSync(source);
  if (stat.isDirectory()) {
    fs.mkdirSync(to);
    for (const name of fs.readdirSync(source)) copyInto(join(source, name), join(to, name), from, left);
  } else if (stat.isFile()) {
    left.bytes -= stat.size;
    if (left.bytes < 0) throw errors.RUN_INPUT({ from, reason: `it is larger than ${MOST_BYTES} bytes` });
    fs.copyFileSync(source, to, fs.constants.COPYFILE_EXCL);
    fs.chmodSync(to, (stat.mode & 0o777) | 0o600);
  }
}

/** Of a file its sha256; of a folder that of its files' names and bytes. */
export function hashOf(path: string): string {
  const hash = createHash("sha256");
  if (fs.statSync(path).isFile()) return hash.update(fs.readFileSync(path)).digest("hex");
  const visit = (folder: string, prefix: string) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.isDirectory()) visit(join(folder, entry.name), `${prefix}${entry.name}/`);
      else if (entry.isFile())
        hash.update(`${prefix}${entry.name}\0`).update(fs.readFileSync(join(folder, entry.name)));
    }
  };
  try {
    visit(path, "");
  } catch (thrown) {
    throw errors.RUN_INPUT({ from: path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
  return hash.digest("hex");
}
