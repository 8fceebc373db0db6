/** Names of an entry file, in order of preference. */
const names = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The entry file of an extension among the files of its folder. */
export function entryIn(files: readonly string[]): string | undefined {
  return names.find((name) => files.includes(name));
}
