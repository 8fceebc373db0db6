/** A character without special meaning, or a single `*`. */
const ATOM = String.raw`(?:[\p{L}\p{N}_.@+=~-]|\*(?!\*))`;
const PART = String.raw`(?:\*\*|(?:${ATOM}|\{${ATOM}+(?:,${ATOM}+)*\})+)`;
const PLAIN = new RegExp(`^/?${PART}(?:/${PART})*$`, "u");
const ANY_DEPTH = "**";
/** The most patterns that a glob with alternatives may expand to. */
const EXPANDED = 32;

type Test = (name: string) => boolean;

/**
 * Returns a test for names (relative, with slashes) that matches like ripgrep: a glob without a slash matches the last part of
 * a name, any other the whole name. Undefined for globs with more than plain characters, `*`, `**` and `{a,b}`. Takes linear
 * time.
 */
export function plainGlob(glob: string): Test | undefined {
  if (!PLAIN.test(glob) || glob.split("/").some((part) => part === "." || part === "..")) return undefined;
  const expanded = expand(glob);
  if (!expanded) return undefined;
  const tests = expanded.map(testOf);
  return tests.length === 1 ? tests[0] : (name) => tests.some((matches) => matches(name));
}

/** Expands alternatives into one glob each. */
function expand(glob: string): string[] | undefined {
  const whole = [glob];
  for (let at = 0; at < whole.length; ) {
    const [braces, inner = ""] = /\{([^}]*)\}/.exec(whole[at] as string) ?? [];
    if (braces === undefined) at++;
    else whole.splice(at, 1, ...inner.split(",").map((choice) => (whole[at] as string).replace(braces, () => choice)));
    if (whole.length > EXPANDED) return undefined;
  }
  return whole;
}

function testOf(glob: string): Test {
  const parts = glob.replace(/^\//, "").split("/");
  const isAboutLastPart = !glob.includes("/") || (parts.length === 2 && parts[0] === ANY_DEPTH && glob[0] !== "/");
  const last = parts.at(-1) as string;
  if (isAboutLastPart) {
    const matches = partTest(last);
    return (name) => matches(name.slice(name.lastIndexOf("/") + 1));
  }
  return pathTest(parts);
}

/** Matches the groups of parts between `**`, each at its first possible place; the last group must be at the end. */
function pathTest(parts: readonly string[]): Test {
  const groups: Test[][] = [[]];
  for (const part of parts)
    if (part === ANY_DEPTH) groups.push([]);
    else groups.at(-1)?.push(partTest(part));
  const [first = [], ...others] = groups;
  const last = others.pop();
  return (name) => {
    const names = name.split("/");
    if (!fitsAt(first, names, 0)) return false;
    if (!last) return names.length === first.length;
    let at = first.length;
    for (const group of others) {
      while (at < names.length && !fitsAt(group, names, at)) at++;
      if (at + group.length > names.length) return false;
      at += group.length;
    }
    // A trailing `**` matches everything inside a folder, but not the folder itself.
    const end = names.length - Math.max(last.length, 1);
    return end >= at && fitsAt(last, names, names.length - last.length);
  };
}

function fitsAt(group: readonly Test[], names: readonly string[], at: number): boolean {
  return at + group.length <= names.length && group.every((matches, index) => matches(names[at + index] as string));
}

/** Tests one part of a name; `*` matches anything in it. */
function partTest(part: string): Test {
  const [first = "", ...others] = part.split(/\*+/);
  const last = others.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = name.indexOf(piece, at);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at <= name.length - last.length;
  };
}
