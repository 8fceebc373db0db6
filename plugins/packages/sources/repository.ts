import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { messageOf, ScorelError } from "@scorel/kernel";
import { defaultLimits } from "../archive/tree-writer.ts";
import { errors } from "../errors.ts";
import type { Fetched, Surroundings } from "./fetched.ts";
import { copyCommit, runGit } from "./git.ts";
import { repositoryIn } from "./repository-names.ts";

const LIMIT_MS = 5 * 60_000;
const LOOK_MS = 200;

/** Variables by which git reaches a server through a proxy, with the user's own certificates, or with the keys of ssh. */
const PASSED =
  /^(?:(?:https?|no)_proxy|ssl_cert_(?:file|dir)|git_ssl_cainfo|git_ssh(?:_command|_variant)?|ssh_auth_sock|ssh_askpass(?:_require)?|display)$/i;

/**
 * Fetches one commit of a repository on another computer, without its history and submodules, and copies its files as committed.
 * Runs nothing from the repository. Git uses only https and ssh, of which the user's own configuration may replace one by the
 * other. Throws PACKAGES_FETCH and ARCHIVE errors.
 */
export async function fetchRepository(
  spec: string,
  staging: string,
  into: string,
  surroundings: Surroundings,
): Promise<Fetched> {
  const { kind, url, ref, name } = repositoryIn(spec) as NonNullable<ReturnType<typeof repositoryIn>>;
  const folder = join(staging, "repository");
  const git = (args: readonly string[], more: Partial<Parameters<typeof runGit>[2]> = {}) =>
    runGit(spec, [`--git-dir=${folder}`, ...args], { ...surroundings, ...more });
  await git(["init", "--quiet", "--bare", "--template="]);
  const proxies = Object.entries(surroundings.env).filter(([key]) => PASSED.test(key));
  const env = { ...Object.fromEntries(proxies), GIT_ALLOW_PROTOCOL: /^http:/i.test(url) ? "http" : "https:ssh" };
  const fetching = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "--quiet", "--depth=1"];
  const options = ["--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--end-of-options"];
  await limited(spec, folder, surroundings.interrupt, (interrupt) =>
    git([...fetching, ...options, url, ref], { interrupt, added: env }),
  );
  const commit = (await git(["rev-parse", "--verify", "FETCH_HEAD^{commit}"])).toString().trim();
  await copyCommit(spec, commit, into, git);
  return { folder: into, source: { kind, spec, commit }, name, notes: [] };
}

/** Aborts the work when it takes too long, or when the folder becomes larger than a package may be. */
async function limited(
  source: string,
  folder: string,
  interrupt: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const { allBytes } = defaultLimits;
  const limit = new AbortController();
  const late = AbortSignal.timeout(LIMIT_MS);
  const look = setInterval(() => sizeOf(folder) > allBytes && limit.abort(), LOOK_MS);
  try {
    await work(AbortSignal.any([interrupt, late, limit.signal]));
  } catch (thrown) {
    if (limit.signal.aborted)
      throw errors.PACKAGES_FETCH(
        { source, reason: `it is larger than ${allBytes / 1024 / 1024} MiB` },
        { cause: thrown },
      );
    if (late.aborted)
      throw errors.PACKAGES_FETCH(
        { source, reason: `it took longer than ${LIMIT_MS / 60_000} minutes` },
        { cause: thrown },
      );
    throw interrupt.aborted ? thrown : errors.PACKAGES_FETCH({ source, reason: reasonOf(thrown) }, { cause: thrown });
  } finally {
    clearInterval(look);
  }
}

/** Git's error message, without its prefix and the period at the end. */
function reasonOf(thrown: unknown): string {
  const reason = thrown instanceof ScorelError ? String(thrown.data.reason) : messageOf(thrown);
  return reason.replace(/^fatal: /, "").replace(/\.$/, "");
}

/** Bytes of the files below a folder; files may vanish while git renames them. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((all, size) => all + size, 0);
}
