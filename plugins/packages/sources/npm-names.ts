/** A name of the npm registry: `left-pad`, `@team/preset`. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** A version, a range or a tag: `1.2.3`, `^1.2`, `>=1 <3 || 4.x`, `latest`. Paths, URLs and repositories do not match. */
const RANGE = /^[\w+~^<>=*][\w.+~^<>=|* -]*$/;
/** A word that npm treats as a file, even after a name and `@`. */
const FILE = /\.(?:tgz|tar|tar\.gz)$/i;

/** A parsed reference to a package of the user's npm registry. */
export interface NpmSpec {
  name: string;
  /** The requested range. */
  range: string;
}

/**
 * Returns the text if it is a package name; undefined for any text that npm could interpret as an option or as another
 * source.
 */
export function packageName(text: string): string | undefined {
  return NAME.test(text) && text.length <= 214 && !text.startsWith("-") && !text.startsWith(".") ? text : undefined;
}

/** Whether a package.json may depend on this. `npm:other@1` installs a package under another name. */
export function isRange(text: string): boolean {
  const alias = /^npm:(.+)$/.exec(text)?.[1];
  if (alias !== undefined) return npmSpec(alias) !== undefined;
  return text === "" || (RANGE.test(text) && !FILE.test(text) && text.length <= 200);
}

/** Parses `name@range`; undefined for any other text. */
export function npmSpec(text: string): NpmSpec | undefined {
  const at = text.indexOf("@", 1);
  const name = packageName(at < 0 ? text : text.slice(0, at));
  const range = at < 0 ? "latest" : text.slice(at + 1);
  return name !== undefined && range !== "" && isRange(range) && !range.startsWith("npm:")
    ? { name, range }
    : undefined;
}
