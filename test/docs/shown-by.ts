import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesOf, read, root } from "./source.ts";

/** A row of a table whose last column says what shows it. */
interface ShownRow {
  file: string;
  line: number;
  shown: string;
}

/** Every row of the decisions' tables with a column `shown by`. */
export function shownRows(): ShownRow[] {
  return filesOf("docs/decisions", ".md").flatMap((file) => {
    let inside = false;
    return read(file)
      .split("\n")
      .flatMap((text, at) => {
        const cells = text.startsWith("|") ? text.split(/(?<!\\)\|/).slice(1, -1) : [];
        const shown = (cells.at(-1) ?? "").trim();
        if (shown === "shown by" || cells.length === 0) inside = shown === "shown by";
        else if (inside && !/^-+$/.test(shown)) return [{ file, line: at + 1, shown }];
        return [];
      });
  });
}

/** Problems of a row: its last column is empty, or names a test or decision that does not exist. */
export function problemsIn({ file, line, shown }: ShownRow): string[] {
  const say = (what: string) => `${file}:${line}: ${what}`;
  if (shown === "") return [say("nothing shows it")];
  return shown.split(/;\s+/).flatMap((part) => {
    const [, key = "", title = ""] = /^\[([^\]]+)\](?: (.+))?$/.exec(part) ?? [];
    const target = targetsOf(file).get(key);
    if (target === undefined) return [say(`${part}: no such link`)];
    if (!existsSync(target)) return [say(`${part}: no such file`)];
    if (!target.endsWith(".ts")) return [];
    return title !== "" && titlesIn(target).some((each) => each.includes(title)) ? [] : [say(`${part}: no such test`)];
  });
}

/** The files that the link definitions of a page refer to. */
function targetsOf(file: string): Map<string, string> {
  const links = read(file).matchAll(/^\[([^\]]+)\]: (\S+)$/gm);
  return new Map(Array.from(links, ([, key, path]) => [key as string, join(root, dirname(file), path as string)]));
}

/** The titles of the tests and groups in a file, also of `each`, `itWith` and `describeWith`. */
function titlesIn(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const calls = text.matchAll(
    /(?:\b(?:it|describe)(?:With)?|\))\(\s*(?:(?:"\w+"|\[[^\]]*\]),\s*)?("(?:[^"\\\n]|\\.)*"|`[^`]*`)/g,
  );
  return Array.from(calls, ([, title]) => (title as string).slice(1, -1));
}
