import type { Unit } from "../shell/shell.ts";
import { parseRule } from "./rule.ts";
import { allowsUnit } from "./rules.ts";

/**
 * How commands begin that people approve again and again with other words, by program; NAME is the name of a script. The
 * words behind choose what is tested, built, shown or committed. For commands that delete, install, publish, fetch or may
 * show keys, an answer only allows the exact command, so they are not in the list.
 */
const BEGINNINGS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    git: "add, commit, merge, cherry-pick, revert",
    npm: "test, run NAME",
    pnpm: "test, run NAME, build, check, format, lint, typecheck",
    yarn: "test, run NAME, build, check, format, lint, typecheck",
    cargo: "build, check, test, bench, clippy, fmt, doc",
    go: "build, test, vet, fmt",
    node: "--test",
    npx: "eslint, jest, prettier, tsc, vitest",
    python: "-m pytest",
    python3: "-m pytest",
    pytest: "",
    jest: "",
    vitest: "",
    eslint: "",
    prettier: "",
    ruff: "check, format",
    tsc: "",
    gh: "pr list, pr view, pr status, pr checks, pr diff, issue list, issue view, run list, run view",
    docker: "ps, logs, images",
    kubectl: "describe, logs",
  }).map(([program, list]) => [program, list.split(", ").map((words) => `${program} ${words}`.trim())]),
);
const NAME = /^\w[\w:.-]*$/;

/**
 * A rule that allows a command with any further words, such as `Bash(git commit *)` for `git commit -m x`. Undefined for
 * commands that are not in the list, and for those with something that a wildcard does not cover.
 */
export function widerRule(unit: Unit): string | undefined {
  const words = unit.tokens.filter(({ kind }) => kind === "word");
  const isBeginning = (beginning: string) =>
    beginning.split(" ").every((expected, at) => {
      const { value = "", text = "" } = words[at] ?? {};
      return text === value && (expected === "NAME" ? NAME.test(value) : value === expected);
    });
  const beginning = BEGINNINGS.get(words[0]?.value ?? "")?.find(isBeginning);
  if (beginning === undefined) return undefined;
  const spelled = words.slice(0, beginning.split(" ").length).map(({ text }) => text);
  const rule = parseRule(`Bash(${spelled.join(" ")} *)`);
  return rule && allowsUnit(unit, [rule]) ? rule.text : undefined;
}
