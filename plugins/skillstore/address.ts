import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { sha256Of } from "@scorel/kit/files/hash";
import { typedPath } from "@scorel/kit/files/typed-path";
import { errors } from "./errors.ts";
import { type Repository, repositoryOf } from "./repository.ts";

/** A source of skills, as given by somebody. */
export interface Address {
  /** What to fetch; a file: URL for local paths. */
  url: URL;
  /** The sha256 of the complete address, which identifies it in the lock file. */
  id: string;
  /** For people and files: without the query, which may contain a key. */
  shown: string;
  /** Whether `shown` is the complete address. */
  isWhole: boolean;
  /** The default name. */
  label: string;
  /** Set for a repository: the archive's single top folder is dropped, and only `below` is taken. */
  repository?: { below?: string };
}

const ENDING = /\.(?:zip|tar\.gz|tgz|tar)$/i;
/** Archive paths of repositories, whose file name is a branch. */
const REPOSITORY = /^\/[^/]+\/([^/]+)\/(?:-\/)?(?:archive|zip|tar\.gz|zipball|tarball|legacy\.zip|legacy\.tar\.gz)\//;

/** Parses an address or a path; relative paths start at `base`. Throws SKILLSTORE_ADDRESS, which contains no secrets. */
export function addressOf(given: string, base: string): Address {
  const text = given.trim();
  const repository = repositoryOf(text, base);
  if (repository) return ofRepository(repository);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return onDisk(typedPath(text, base));
  if (scheme === "file") return onDisk(pathIn(text));
  if (scheme === "http" || scheme === "https") return onWeb(text);
  throw errors.SKILLSTORE_ADDRESS({
    address: `${scheme}://…`,
    reason: "only https://, git+https:// and file:// are supported",
  });
}

/** A web address for people, without its query. */
export function shownUrl({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/** The archive type, by the ending of the address. */
export function kindOf({ url }: Pick<Address, "url">): "zip" | "tar" | "tar.gz" | undefined {
  const ending = ENDING.exec(url.pathname)?.[0].toLowerCase();
  return ending === ".tgz" ? "tar.gz" : (ending?.slice(1) as "zip" | "tar" | "tar.gz" | undefined);
}

/** Whether an address is that of a single SKILL.md. */
export function isSkillFile({ url }: Pick<Address, "url">): boolean {
  return basename(url.pathname).toLowerCase() === "skill.md";
}

function onWeb(text: string): Address {
  if (!URL.canParse(text))
    throw errors.SKILLSTORE_ADDRESS({ address: "the address", reason: "it is not a valid address" });
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw errors.SKILLSTORE_ADDRESS({
      address: shownUrl(url),
      reason: "it contains a user name or password, which would be stored and displayed",
    });
  url.hash = "";
  return named(url, shownUrl(url), url.search === "");
}

function ofRepository({ url, shown, below }: Repository): Address {
  const id = sha256Of(shown);
  const label = labelFrom(basename(below ?? shown.replace(/[@#].*$/, ""))) || "skills";
  return { url, id, shown, isWhole: true, label, repository: { ...(below !== undefined && { below }) } };
}

function onDisk(path: string): Address {
  return named(pathToFileURL(path), path, true);
}

function pathIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.hostname === "" || url.hostname === "localhost")) return fileURLToPath(`file://${url.pathname}`);
  throw errors.SKILLSTORE_ADDRESS({
    address: "file://…",
    reason: "it names another machine, or is not a valid file:// address",
  });
}

function named(url: URL, shown: string, isWhole: boolean): Address {
  const id = sha256Of(url.href);
  return { url, id, shown, isWhole, label: labelOf(url) };
}

function labelOf(url: URL): string {
  const path = decoded(url.pathname);
  const last = basename(path).toLowerCase() === "skill.md" ? basename(dirname(path)) : basename(path);
  const given = (url.protocol === "file:" ? undefined : REPOSITORY.exec(path)?.[1]) ?? last.replace(ENDING, "");
  return labelFrom(given) || labelFrom(url.hostname) || "skills";
}

/** A valid folder name on every system. */
export function labelFrom(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, 64);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8; the path is used as written.
    return path;
  }
}

/** The folder of the store. */
export const storeOf = (home: string) => join(home, ".scorel");
