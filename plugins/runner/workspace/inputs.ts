import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, posix } from "node:path";
import type { SessionArtifacts } from "@scorel/artifacts/contract";
import { codeOf, ScorelError } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import type { RunInput } from "../contract.ts";
import { errors } from "../errors.ts";
import type { InputRecord } from "../replay/metadata.ts";
import { copyTree, hashTree, type Source } from "./copy.ts";
import type { Layout } from "./layout.ts";
import { inOpenFolder, type OpenFolder, remove } from "./open-folder.ts";
import { inside, leadsTo } from "./paths.ts";

/** The longest path of an input; programs cannot reach much longer paths. */
const LONGEST_NAME = 1_024;

export interface InputContext {
  layout: Layout;
  artifacts: SessionArtifacts | undefined;
  /** Real paths of folders that `host://` may name. */
  host: readonly string[];
  /** The folders of staged skills, by skill name. */
  skills: Readonly<Record<string, string>>;
  /** Earlier inputs of this workspace. */
  earlier: readonly InputRecord[];
}

/** Puts an input into the workspace and returns its record. Throws RUN_INPUT and RUN_PATH. */
export function placeInput(input: RunInput, ground: InputContext): InputRecord {
  try {
    return placed(input, ground);
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.RUN_INPUT(
      { from: input.from, reason: `it cannot be copied into the workspace (${codeOf(thrown)})` },
      { cause: thrown },
    );
  }
}

function placed(input: RunInput, ground: InputContext): InputRecord {
  const { from, mode } = input;
  const [, scheme, rest = ""] = /^(\w+):\/\/(.*)$/s.exec(from) ?? [];
  if (scheme === "artifact") return placeArtifact(input, rest, ground);
  const source = sourceOf(scheme, rest, input, ground);
  const to = destination(input, basename(source.path));
  const isLink = mode === "link" && scheme !== "host";
  const sha256 = putInPlace(ground.layout, to, (path) => {
    if (!isLink) copyTree(source, path);
    else fs.symlinkSync(source.path, path);
    return hashTree(isLink ? source : { root: path, path, from });
  });
  return { from, to, sha256, ts: Date.now() };
}

/** Finds the real file or folder of an input. */
function sourceOf(scheme: string | undefined, rest: string, { from }: RunInput, ground: InputContext): Source {
  const { layout, host, skills } = ground;
  if (scheme === "workspace") return existing(inside(layout.root, rest, "input"), from, [layout.root]);
  if (scheme === "skill") {
    const [name = "", ...path] = rest.split("/");
    const folder = Object.hasOwn(skills, name) ? skills[name] : undefined;
    if (folder === undefined) throw errors.RUN_INPUT({ from, reason: `there is no skill ${name}` });
    return existing(inside(folder, path.join("/"), "input"), from, [layout.root]);
  }
  if (scheme !== "host")
    throw errors.RUN_INPUT({ from, reason: "it begins with none of artifact, host, workspace, skill" });
  return existing(hostPath(from), from, host);
}

/** Takes the path literally, without URL decoding. */
function hostPath(from: string): string {
  const path = from.slice("host://".length).replace(/^localhost(?=\/)/, "");
  if (isAbsolute(path) && !path.includes("\0")) return normalize(path);
  throw errors.RUN_INPUT({ from, reason: "it is not an absolute path on this machine" });
}

function existing(path: string, from: string, allowed: readonly string[]): Source {
  const real = leadsTo(path);
  const root = allowed.find((folder) => isWithin(folder, real));
  if (root === undefined)
    throw errors.RUN_INPUT({
      from,
      reason: "it is outside of the folders for inputs; add more with [runner] host",
    });
  if (!fs.existsSync(real)) throw errors.RUN_INPUT({ from, reason: "it does not exist" });
  return { root, path: real, from };
}

function placeArtifact(input: RunInput, rest: string, { layout, artifacts, earlier }: InputContext): InputRecord {
  const { from, pin } = input;
  if (!artifacts) throw errors.RUN_INPUT({ from, reason: "artifact service is not configured" });
  const [, name = rest, digits] = /^(.+)@(\d+)$/s.exec(rest) ?? [];
  const to = destination(input, basename(name));
  const pinned =
    pin && digits === undefined ? earlier.findLast((row) => row.to === to && row.artifact === name) : undefined;
  const wanted = digits === undefined ? pinned?.version : Number(digits);
  const found = artifacts.load(name, wanted);
  if (!found) throw errors.RUN_INPUT({ from, reason: "there is no such artifact" });
  putInPlace(layout, to, (path) => fs.writeFileSync(path, found.content, { mode: 0o644, flag: "wx" }));
  const { sha256, version } = found;
  return { from, to, artifact: name, version, sha256, ts: Date.now() };
}

/** The destination relative to the workspace; `inputs/x` means `work/inputs/x`. */
function destination({ to }: RunInput, source: string): string {
  const given = to === undefined || to.trim() === "" ? `work/inputs/${source}` : to.trim();
  const fail = (reason: string) => errors.RUN_PATH({ what: "to", path: given, reason });
  const plain = given.replace(/^inputs(?=\/|$)/, "work/inputs");
  if (!/^(work|out)\/./.test(plain)) throw fail("inputs must be in work/ or out/");
  const name = posix.normalize(plain).replace(/\/$/, "");
  if (name.includes("\0") || name.includes("\\")) throw fail("it contains a character that is not allowed in paths");
  if (name.length > LONGEST_NAME) throw fail("it is too long");
  if (name === ".." || name.startsWith("../")) throw fail("it leads out of the workspace");
  if (!/^(work|out)\/./.test(name)) throw fail("inputs must be in work/ or out/");
  return name;
}

/**
 * Creates an input where programs cannot reach it, then moves it into place. An existing entry is removed, without following
 * links.
 */
function putInPlace<T>({ root, metadata }: Layout, to: string, make: (path: string) => T): T {
  const beside = dirname(metadata);
  const fresh = fs.mkdtempSync(join(beside, "input-"));
  try {
    const made = make(join(fresh, "input"));
    const place = (dir: OpenFolder) => {
      remove(dir, basename(to), beside);
      fs.renameSync(join(fresh, "input"), dir.path(basename(to)));
    };
    inOpenFolder(root, join(root, dirname(to)), "to", place, true);
    return made;
  } finally {
    fs.rmSync(fresh, { recursive: true, force: true });
  }
}
