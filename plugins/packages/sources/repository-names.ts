/** A host and a path, without a user name, a query or a fragment; then a branch, tag or commit. */
const REPOSITORY = /^git\+(https?:\/\/[^@#?\s]+?)\/?(?:@([\w][\w./-]*))?$/i;
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** A repository on the web. */
export interface Repository {
  url: string;
  /** A branch, tag or commit; `HEAD` by default. */
  ref: string;
  /** The last part of its path, without `.git`. */
  name: string;
}

/** Parses `git+https://host/owner/repo@ref`; `git+http://` only for this computer. Undefined for any other text. */
export function repositoryIn(text: string): Repository | undefined {
  const [, url = "", ref = "HEAD"] = REPOSITORY.exec(text) ?? [];
  if (!URL.canParse(url) || ref.includes("..")) return undefined;
  const { protocol, hostname, pathname } = new URL(url);
  const name =
    pathname
      .split("/")
      .at(-1)
      ?.replace(/\.git$/, "") ?? "";
  const isAllowed = protocol === "https:" || LOOPBACK.includes(hostname);
  return isAllowed && name !== "" ? { url, ref, name } : undefined;
}
