import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { errors } from "./errors.ts";

/** A repository on the web. It is fetched as an archive from its site, so no git is run. */
export interface Repository {
  /** The URL of the archive. */
  url: URL;
  /** The complete address: `git+https://github.com/owner/repo@ref#path`. */
  shown: string;
  /** The folder, or plugin of a marketplace, to take. */
  below?: string;
}

const SHORT = /^([A-Za-z0-9][\w-]*\/[\w.-]+?)(?:\.git)?(?:@([^@#\s]+))?(?:#(.+))?$/;
/** An `@` counts as the start of a ref only in the path: in front of it, it ends a user name or a token. */
const LONG = /^git\+(https?:\/\/[^@#/]+\/[^@#]+?)(?:\.git)?\/?(?:@([^@#\s]+))?(?:#(.+))?$/i;

/**
 * Parses `owner/repo` (on GitHub, unless such a path exists here) or `git+https://host/owner/repo`, both with optional `@ref`
 * and `#path`. Undefined for anything else. Throws SKILLSTORE_ADDRESS.
 */
export function repositoryOf(text: string, base: string): Repository | undefined {
  const [, long, longRef, longPath] = LONG.exec(text) ?? [];
  if (long !== undefined) return repositoryAt(long, longRef, longPath);
  if (/^git\+/i.test(text))
    throw refused("it is not a git+https:// address of a repository, or it contains a user name");
  const [, short, ref, path] = SHORT.exec(text) ?? [];
  if (short === undefined || existsSync(resolve(base, text.replace(/#.*$/, "")))) return undefined;
  return repositoryAt(`https://github.com/${short}`, ref, path);
}

function repositoryAt(address: string, ref: string | undefined, path: string | undefined): Repository {
  if (!URL.canParse(address)) throw refused("it is not a valid address");
  const { origin, pathname, search, hostname } = new URL(address);
  if (search !== "") throw refused("the address of a repository cannot have a query");
  if (ref !== undefined && !/^(?!.*\.\.)[\w][\w./-]*$/.test(ref))
    throw refused("the part after @ is not a valid branch, tag or commit");
  const below = path?.replace(/^(?:\.?\/)+|\/+$/g, "");
  if (below !== undefined && !isBelow(below)) throw refused("the part after # is not a path in the repository");
  const repository = pathname.replace(/\/+$/, "");
  const name = repository.slice(repository.lastIndexOf("/") + 1);
  const commit = ref ?? "HEAD";
  // GitLab sites have their own path; GitHub, Codeberg, Forgejo and Gitea share one.
  const isGitLab = /(?:^|\.)gitlab\./.test(hostname);
  const archive = isGitLab ? `-/archive/${commit}/${name}.tar.gz` : `archive/${commit}.tar.gz`;
  const shown = `git+${origin}${repository}${ref === undefined ? "" : `@${ref}`}${below ? `#${below}` : ""}`;
  return { url: new URL(`${origin}${repository}/${archive}`), shown, ...(below && { below }) };
}

/** Whether a relative path has no `..` or similar parts. */
export function isBelow(path: string): boolean {
  return !path.includes("\\") && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}

function refused(reason: string) {
  return errors.SKILLSTORE_ADDRESS({ address: "the repository", reason });
}
