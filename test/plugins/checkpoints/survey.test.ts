import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fc } from "../../property.ts";
import { surveyed } from "./survey-setup.ts";

const names = ["a", "b", "d", "d/x", "d/y", "e/f/g", "'new\nline'", "'é ü'", "i/1", "i/n/2"];
const name = fc.constantFrom(...names);
const content = fc.constantFrom("1", "2", "3", "longer", "");
const folderOf = (path: string) => `"$(dirname ${path})"`;

/** Changes of files that every project may have, also with contents of the same size and with old times. */
const plain = fc.oneof(
  fc.tuple(name, content).map(([path, text]) => `mkdir -p ${folderOf(path)}; printf '${text}' > ${path}`),
  fc.tuple(name, content).map(([path, text]) => `printf '${text}' > ${path}; touch -d @1000000000 ${path}`),
  fc
    .tuple(name, content)
    .map(([path, text]) => `printf '${text}' > ${path}.new; touch -r ${path} ${path}.new; mv ${path}.new ${path}`),
  name.map((path) => `rm -rf ${path}`),
  fc.tuple(name, name).map(([from, to]) => `mkdir -p ${folderOf(to)}; mv ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `cp -a ${from} ${to}`),
  fc
    .tuple(name, fc.constantFrom("600", "644", "755"))
    .map(([path, mode]) => `chmod ${mode} ${path}; chmod u+x d e e/f i i/n`),
  fc.tuple(name, name).map(([path, target]) => `rm -rf ${path}; ln -s ${target} ${path}`),
  fc.tuple(name, name).map(([path, target]) => `ln -f ${target} ${path}`),
  name.map((path) => `mkdir -p ${path}`),
);
/** Changes by git: of files, of its index, and of its settings. */
const ofGit = fc.oneof(
  fc.constantFrom(
    "git add -A",
    "git commit -qam more",
    "git stash -q",
    "git stash -q -u",
    "git stash pop -q",
    "git checkout -q -b other",
    "git checkout -q main",
    "git checkout -q -f HEAD~1",
    "git reset -q --hard",
    "git reset -q",
    "git clean -qfdx",
    "git merge -q other",
    "git update-index --refresh -q",
    "git update-index --split-index",
    "git update-index --index-version 4",
    "git sparse-checkout set d; git sparse-checkout reapply",
    "git sparse-checkout disable",
    "rm -f .git/index",
    "printf 'i/\\n*.log\\n' > .gitignore",
    "printf 'd/x\\n' > .gitignore; printf 'd\\n' > .git/info/exclude",
    "rm -f .gitignore; : > .git/info/exclude",
    "mkdir -p e; printf 'f\\n' > e/.gitignore",
    "rm -f e/.gitignore",
    "printf 'g\\n' >> e/.gitignore",
    "printf 'x\\n' >> .git/info/exclude; touch -d @1000000000 .git/info/exclude",
    'git config core.excludesFile "$PWD/../ignored"',
    "git config include.path ../../more",
    'git config -f ../more core.excludesFile "$PWD/../ignored"',
    "printf 'y\\n' > ../ignored",
    "printf 'i\\n!i/1\\n' > ../ignored",
    "rm -f ../ignored ../more",
    "mkdir -p k/l; printf 1 > k/l/new",
    "mkdir -p k/l; printf 1 > k/l/newer; printf 'l\\n' > k/.gitignore",
    "rm -f k/.gitignore k/l/new",
    "git config core.trustctime false; git config core.checkStat minimal",
    "git config core.fileMode false",
  ),
  name.map((path) => `git add -N ${path}`),
  name.map((path) => `git add -f ${path}`),
  name.map((path) => `git rm -rq --cached ${path}`),
  name.map((path) => `git mv -f ${path} moved`),
  name.map((path) => `git update-index --assume-unchanged ${path}`),
  name.map((path) => `git update-index --skip-worktree ${path}`),
  name.map((path) => `git update-index --no-assume-unchanged --no-skip-worktree ${path}`),
  name.map((path) => `mkdir -p ${path}/m/.git; printf 1 > ${path}/m/y`),
  name.map((path) => `rm -f ${path}/n/.git/HEAD; printf 2 > ${path}/n/z`),
  name.map(
    (path) =>
      `mkdir -p ${path}/n; cd ${path}/n && git init -q && touch x && git add x && git commit -qm n; cd - ; git add ${path}`,
  ),
);

describe("a survey", () => {
  it.each([
    ["a repository", true, 0, fc.oneof(plain, ofGit), 10],
    ["a small repository", true, 1_000, fc.oneof(plain, ofGit), 5],
    ["a plain folder", false, 0, plain, 8],
  ] as const)(
    "of %s equals the result of reading every file, whatever was done between the scans",
    async (_name, isGit, fewFiles, op, numRuns) => {
      const ops = fc.array(op, { minLength: 1, maxLength: 3 });
      const steps = fc.array(fc.record({ ops, settles: fc.boolean() }), { minLength: 3, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          using t = surveyed(isGit, { fewFiles });
          for (const path of ["a", "d/x", "e/f/g", "i/1"]) t.file(path, "1");
          if (isGit) t.sh("git add -A; git commit -qm first");
          await t.survey.scan();
          for (const { ops: step, settles } of steps) {
            if (settles) await t.settle();
            t.sh(`${step.map((command) => `{ ( ${command}; ) || true; } >/dev/null 2>&1`).join("; ")}; true`);
            const before = t.known();
            const found = await t.survey.scan();
            const now = t.walked();
            expect([step, t.known()]).toEqual([step, now]);
            if ("reason" in found) throw new Error(found.reason);
            const named = new Set(found.changes.map(({ path }) => path));
            const unnamed = Object.keys({ ...before, ...now }).filter(
              (path) => before[path] !== now[path] && !named.has(path),
            );
            // A file may disappear from git's list without being deleted, or appear in it without being new.
            const expected = unnamed.filter((path) =>
              path in now ? !(path in before) : fs.existsSync(join(t.root, path)),
            );
            expect([step, unnamed]).toEqual([step, expected]);
            expect(expected.filter((path) => path in now).length).toBeLessThanOrEqual(found.hidden);
          }
        }),
        { numRuns, interruptAfterTimeLimit: 20_000 },
      );
    },
    120_000,
  );

  it("is correct when git cannot read a file, and afterwards", async () => {
    using t = surveyed(true);
    for (const path of ["a", "d/x"]) t.file(path, "1");
    t.sh("git add -A; git commit -qm first");
    await t.survey.scan();
    const paths = async () => {
      const found = await t.survey.scan();
      return "changes" in found ? found.changes.map(({ path }) => path).sort() : found.reason;
    };
    t.sh("mv d ../d; ln -s d d");
    expect([await paths(), t.known()]).toEqual([["d", "d/x"], t.walked()]);
    // The survey cannot know that the file was moved out and back.
    t.sh("rm d; mv ../d d");
    expect([await paths(), t.known()]).toEqual([["d"], t.walked()]);
  });

  it("takes names of empty and ignored folders for names, whatever git could read in them", async () => {
    using t = surveyed(true);
    t.file("a", "1");
    t.file(".gitignore", ":!ignored\n");
    for (const name of [":x", ":(cache)", ":/", ":!ignored", "*", "[a]", "-z", "\\:x"])
      fs.mkdirSync(join(t.root, name), { recursive: true });
    expect(await t.survey.scan()).not.toHaveProperty("reason");
    for (const name of [":(cache)/b", ":!ignored/c", "*/d"]) t.file(name, "2");
    const found = await t.survey.scan();
    expect("changes" in found && found.changes.map(({ path }) => path).sort()).toEqual(["*/d", ":(cache)/b"]);
    expect(t.known()).toEqual(t.walked());
  });

  it("finds tracked files that reappear after scans of an emptied project", async () => {
    using t = surveyed(true);
    for (const path of ["a", "d/x"]) t.file(path, "1");
    t.sh("git add -A; git commit -qm first");
    await t.survey.scan();
    t.sh("rm -r a d");
    await t.survey.scan();
    await t.survey.scan();
    t.sh("mkdir d; printf 2 > a; printf longer > d/x");
    const found = await t.survey.scan();
    expect("changes" in found && found.changes.map(({ path }) => path).sort()).toEqual(["a", "d/x"]);
    expect(t.known()).toEqual(t.walked());
  });

  // A git without nanoseconds considers such a file unchanged: it has the inode, size and second in the index.
  it("finds a file that was missing in the first scan and reappears within a second of the index", async () => {
    using t = surveyed(true);
    t.file("b", "1");
    // Starts early in a second, so that all changes fall into it, but not at its beginning, since file times lag
    // behind.
    while ((Date.now() - 20) % 1_000 > 200) await new Promise((resolve) => setImmediate(resolve));
    t.file("a", "1");
    t.sh("git add -A; mv a ../a");
    await t.survey.scan();
    t.sh("mv ../a a; printf 2 > a");
    await t.survey.scan();
    expect(t.known()).toEqual(t.walked());
  });
});
