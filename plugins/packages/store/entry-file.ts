/** The file that is loaded, by the endings that extensions may have; the first one counts. */
const names = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The entry file of an extension among the files of its folder. */
export function entryIn(files: readonly string[]): string | undefined {
  return names.find((name) => files.includes(name));
}
