import { runGit } from "@scorel/kit/process/run-git";
import { errors } from "./errors.ts";

/** Settings that name a program which git runs on files. */
const FILTER = /^filter\..*\.(?:smudge|clean|process|required)$/s;
const DRIVER = /^merge\..*\.driver$/s;
const LIMIT_MS = 10_000;

/** A setting of git: its key, and its value. */
export type Setting = readonly [key: string, value: string];

/**
 * Settings that replace the programs which a repository's own settings name: a filter by the user's own of that name, if there is one;
 * a way to merge by one that leaves a conflict. A repository that was unpacked from an archive can have any settings.
 */
export async function safeDrivers(root: string): Promise<Setting[]> {
  const args = ["config", "--show-scope", "-z", "--get-regexp", "^(filter|merge)\\."];
  const { code, output, said } = await runGit(root, args, { limitMs: LIMIT_MS });
  // With the code 1, there is no such setting.
  if (code !== 0 && code !== 1)
    throw errors.WORKTREE_GIT({ what: "read the settings of the repository", reason: said.trim() });
  const rows = rowsIn(output.toString());
  const users = new Map(rows.filter(({ scope }) => isOfUser(scope)).map(({ key, value }) => [key, value]));
  return rows.filter(({ scope }) => !isOfUser(scope)).flatMap(({ key }) => replacement(key, users));
}

function replacement(key: string, users: ReadonlyMap<string, string>): Setting[] {
  if (DRIVER.test(key)) return [[key, "false"]];
  if (!FILTER.test(key)) return [];
  return [[key, users.get(key) ?? (key.endsWith(".required") ? "false" : "")]];
}

/** Settings as variables for git, since the name of a filter may have a `=`, at which git would split an argument. */
export function asVariables(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

const isOfUser = (scope: string) => scope === "global" || scope === "system";

/** The output of `git config -z --show-scope`: a scope, then a key and, on the next line, its value. Those of commands are Scorel's own. */
function rowsIn(output: string): { scope: string; key: string; value: string }[] {
  const fields = output.split("\0");
  const rows: ReturnType<typeof rowsIn> = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [scope = "", setting = ""] = fields.slice(i, i + 2);
    const [key = "", ...value] = setting.split("\n");
    if (scope !== "command") rows.push({ scope, key, value: value.length === 0 ? "true" : value.join("\n") });
  }
  return rows;
}
