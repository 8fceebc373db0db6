import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { makeTemporaryFolder } from "@scorel/kit/files/temporary";
import { ownPath } from "@scorel/kit/process/programs";
import { SAFE_GIT, SAFE_GIT_ENV } from "@scorel/kit/process/safe-git";

/** A small repository with a bug and a test that finds it. */
export interface Repository {
  path: string;
  /** Why it is not under git; absent when it is. */
  withoutGit?: string;
  /** Returns the changes since it was created, as a unified diff. */
  diff(): Promise<string>;
  /** Runs its tests in a separate process. */
  test(): Promise<{ passed: boolean; output: string }>;
}

const files: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "shop", version: "1.0.0", private: true, type: "module" }, null, 2)}\n`,
  "src/cart.js": `/** The price of everything in a cart, in cents. */
export function total(items) {
  let sum = 0;
  for (let i = 1; i < items.length; i++) {
    sum += items[i].price * items[i].count;
  }
  return sum;
}
`,
  "src/money.js": `/** An amount of cents as people read it: 1250 -> "12.50". */
export function money(cents) {
  return (cents / 100).toFixed(2);
}
`,
  "test/cart.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.js";
import { money } from "../src/money.js";

test("an empty cart costs nothing", () => assert.equal(total([]), 0));

test("a cart's total counts every item", () => {
  const cart = [
    { price: 250, count: 2 },
    { price: 100, count: 1 },
  ];
  assert.equal(total(cart), 600);
});

test("money has two digits after the point", () => assert.equal(money(1250), "12.50"));
`,
};

/** Creates the repository in a new temporary folder, which is kept for the user to inspect. */
export async function makeRepository(env: Env): Promise<Repository> {
  const path = makeTemporaryFolder("scorel-demo-");
  for (const [name, content] of Object.entries(files)) {
    makeFolder(dirname(join(path, name)), 0o777);
    await writeFile(join(path, name), content);
  }
  const place = { path, env: plainEnv(env) };
  const withoutGit = await commitAll(place);
  return {
    path,
    ...(withoutGit !== undefined && { withoutGit }),
    diff: () => (withoutGit === undefined ? gitDiff(place) : ownDiff(path)),
    test: () => runTests(place),
  };
}

type Env = Readonly<Record<string, string | undefined>>;
interface Place {
  path: string;
  env: Record<string, string>;
}

/** Returns an environment without the user's git settings, hooks and keys, and without a test runner's variables. */
function plainEnv(env: Env): Record<string, string> {
  const kept = ["PATH", "Path", "PATHEXT", "HOME", "SystemRoot", "TMPDIR", "TEMP", "TMP", "LANG"];
  const own = {
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Scorel",
    GIT_AUTHOR_EMAIL: "demo@localhost",
    GIT_COMMITTER_NAME: "Scorel",
    GIT_COMMITTER_EMAIL: "demo@localhost",
  };
  return {
    ...Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    ...own,
  };
}

/** Commits the files. Returns why that failed, or undefined. */
async function commitAll(place: Place): Promise<string | undefined> {
  try {
    for (const args of [
      ["init", "--quiet"],
      ["add", "--all"],
      ["commit", "--quiet", "--message", "A shop"],
    ])
      await git(place, args);
    return undefined;
  } catch (thrown) {
    return (thrown as { code?: unknown }).code === "ENOENT"
      ? "git is not installed"
      : `git failed: ${messageOf(thrown).trim()}`;
  }
}

function gitDiff(place: Place): Promise<string> {
  return git(place, ["diff", "--no-color", "--no-ext-diff"]);
}

async function ownDiff(path: string): Promise<string> {
  const { unifiedDiff } = await import("@scorel/kit/text/diff");
  const diffs = Object.entries(files).map(async ([name, before]) =>
    unifiedDiff(name, before, await readFile(join(path, name), "utf8")),
  );
  return (await Promise.all(diffs)).map((diff) => (diff === "" ? "" : `${diff}\n`)).join("");
}

function git({ path, env }: Place, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      "git",
      [...SAFE_GIT, ...args],
      { cwd: path, env: { ...env, PATH: ownPath(env.PATH), ...SAFE_GIT_ENV } },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
  });
}

function runTests({ path, env }: Place): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--test"], { cwd: path, env }, (error, stdout, stderr) =>
      resolve({ passed: error === null, output: `${stdout}${stderr}` }),
    );
  });
}
