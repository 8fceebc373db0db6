import { runGit } from "@scorel/kit/process/run-git";
import { errors } from "./errors.ts";

/** Git settings that name a program to run on files. */
const FILTER = /^filter\..*\.(?:smudge|clean|process|required)$/s;
const DRIVER = /^merge\..*\.driver$/s;
const LIMIT_MS = 10_000;

/** Key and value of a git setting. */
export type Setting = readonly [key: string, value: string];

/**
 * Settings that replace the programs named in a repository's own settings: a filter by the user's own filter of that name, if there is one,
 * and a merge driver by one that reports a conflict. A repository that was unpacked from an archive may contain any settings.
 */
export async function safeDrivers(root: string): Promise<Setting[]> {
  const args = ["config", "--show-scope", "-z", "--get-regexp", "^(filter|merge)\\."];
  const { code, output, said } = await runGit(root, args, { limitMs: LIMIT_MS });
  // Exit code 1 means that there are no such settings.
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

/**
 * Encodes settings as environment variables for git. As arguments they would be split at the first `=`, which the name of a filter may
 * contain.
 */
export function asVariables(settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

const isOfUser = (scope: string) => scope === "global" || scope === "system";

/**
 * Parses the output of `git config -z --show-scope`: the scope, then the key and, on the next line, the value. Settings from the command
 * line are Scorel's own and left out.
 */
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
