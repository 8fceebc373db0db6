/** A branch, tag or commit at the end of an address. */
const REF = String.raw`(?:@(?<ref>\w[\w./-]*))?$`;
/** A host and a path, without a user name, a query or a fragment. */
const WEB = new RegExp(String.raw`^git\+(?<url>https?:\/\/[^@#?\s]+?)\/?${REF}`, "i");
/** A host with an optional user name and port, and a path. Nothing in it can begin with `-`, so that ssh takes nothing for an option. */
const SSH = new RegExp(
  String.raw`^(?:git\+)?(?<url>ssh:\/\/(?:\w[\w.-]*@)?\w[\w.-]*(?::\d+)?\/[^@#?\s]+?)\/?${REF}`,
  "i",
);
/** The short form of an address for ssh, as git writes it: `git@host:owner/repo.git`. */
const SHORT = new RegExp(String.raw`^(?<url>\w[\w.-]*@\w[\w.-]*:(?!\/\/)[\w~./][^@#?\s]*?)\/?${REF}`);
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** A repository that git fetches. */
export interface Repository {
  kind: "git+https" | "git+ssh";
  url: string;
  /** A branch, tag or commit; `HEAD` by default. */
  ref: string;
  /** The last part of its path, without `.git`. */
  name: string;
}

/**
 * Parses `git+https://host/owner/repo@ref` (`git+http://` only for this computer), `ssh://git@host/owner/repo@ref` and
 * `git@host:owner/repo@ref`. Undefined for any other text.
 */
export function repositoryIn(text: string): Repository | undefined {
  const web = WEB.exec(text)?.groups;
  const { url = "", ref = "HEAD" } = web ?? SSH.exec(text)?.groups ?? SHORT.exec(text)?.groups ?? {};
  const name = /([^/:]+?)(?:\.git)?$/.exec(url)?.[1] ?? "";
  if (name === "" || ref.includes("..")) return undefined;
  if (web && !isOfWeb(url)) return undefined;
  return { kind: web ? "git+https" : "git+ssh", url, ref, name };
}

/** Whether an address has a path, and a host that is reached by https or is this computer. */
function isOfWeb(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return pathname !== "/" && (protocol === "https:" || LOOPBACK.includes(hostname));
}
