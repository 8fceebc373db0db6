import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type RecordedRequest, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { startRegistry } from "../plugins/packages/npm-registry.ts";
import { npmTarball } from "../tarball.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const example = fileURLToPath(new URL("../../docs/examples/team-preset", import.meta.url));

/** The files of the shipped example: path -> text. */
function exampleFiles(folder = example): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.assign(
    {},
    ...entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? exampleFiles(path) : { [relative(example, path)]: readFileSync(path, "utf8") };
    }),
  );
}

/** The next version of the example: with other rules, and a plugin that uses an npm package. */
function nextVersion(): Record<string, string> {
  const files = exampleFiles();
  const manifest = JSON.parse(files["package.json"] ?? "{}");
  return {
    ...files,
    "package.json": JSON.stringify({ ...manifest, version: "1.1.0", dependencies: { "ticket-words": "^2.0.0" } }),
    "instructions/house-rules.md": `${files["instructions/house-rules.md"]}- Ask before you add a dependency.\n`,
    "extensions/ticket.ts": `${files["extensions/ticket.ts"]}`
      .replace("import { definePlugin }", 'import { words } from "ticket-words";\nimport { definePlugin }')
      .replace(/`This work is for .*?`/, "words(ticket)"),
  };
}

function pack(s: Scratch, name: string, files: Record<string, string>): string {
  const path = join(s.home, name);
  writeFileSync(path, npmTarball(files));
  return path;
}

/** The repository that the team works in, on the branch of a ticket. */
function repository(s: Scratch): void {
  s.file("LICENSE", "All rights reserved\n");
  s.file("migrations/1.sql", "create table carts");
  symlinkSync("migrations", join(s.project, "link"));
  s.file("cart.js", "export const total = 0;\n");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], { cwd: s.project });
  git("init", "--quiet");
  git("checkout", "--quiet", "-b", "ABC-12-faster-cart");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart");
}

const said = ({ body }: RecordedRequest) => JSON.stringify(body);
const preset = ["--preset", "team-preset"];

/** A turn in which the model asks which tests must pass, tries a forbidden call, and does its work. */
const turn = [
  toolCall("TeamChecks", {}),
  toolCall("Write", { file_path: "LICENSE", content: "Mine" }),
  toolCall("Write", { file_path: "link/new.sql", content: "drop table carts" }),
  toolCall("Bash", { command: "git push" }),
  toolCall("Write", { file_path: "faster.js", content: "export const total = 1;\n" }),
  text("Done."),
];

describe("a team's preset, from packing to removal", () => {
  it("can be installed and used, keeps its locks, is upgraded with a diff, refused when changed, and removed", async () => {
    await using registry = await startRegistry({
      name: "ticket-words",
      version: "2.0.1",
      manifest: { main: "index.js", scripts: { postinstall: "touch ran" } },
      files: { "index.js": 'exports.words = (ticket) => "Ticket " + ticket + ", as ticket-words puts it.";' },
    });
    await using theirs = await startRegistry({ name: "ticket-words", version: "2.9.9" });
    await using server = await startModelServer([...turn, ...turn, text("Mended.")]);
    let seen = 0;
    const fresh = () => {
      const before = seen;
      seen = server.requests.length;
      return server.requests.slice(before);
    };
    using s = scratch({ inProcess: true });
    repository(s);
    s.useModel(server.baseUrl);
    s.file("~/.npmrc", `registry=${registry.url}\n`);
    s.file(".npmrc", `registry=${theirs.url}\n`);
    const [first, second] = [pack(s, "v1.tgz", exampleFiles()), pack(s, "v2.tgz", nextVersion())];

    // Nothing is installed without consent.
    const unasked = await s.run(["preset", "add", first]);
    expect([unasked.code, unasked.stderr]).toEqual([
      2,
      `scorel: Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: scorel preset add ${first} --yes\n`,
    ]);
    expect(unasked.stdout).toContain("  extension protected-files: hooks approveToolCall;");
    const added = await s.run(["preset", "add", first, "--yes"], { ownProcess: true });
    expect([added.code, added.stderr]).toEqual([0, ""]);
    expect(added.stdout).toContain('Installed "team-preset". To use it: scorel --preset team-preset\n');

    // When it is used, the house rules and the ticket are in the prompt, its tool works, and its guard and rules apply.
    expect(await s.run([...preset, "-p", "Make it faster"], { guarded: true, ownProcess: true })).toMatchObject({
      code: 0,
    });
    const requests = fresh();
    expect(said(requests[0] as RecordedRequest)).toContain("This work is for ticket ABC-12.");
    expect(said(requests[0] as RecordedRequest)).toContain("A mended bug has a test that failed before.");
    expect(said(requests[0] as RecordedRequest)).toContain("Writes the notes of a release from the commits");
    expect(said(requests[1] as RecordedRequest)).toContain("npm test\\nnpm run lint");
    expect(said(requests[2] as RecordedRequest)).toContain("LICENSE is changed by people only.");
    expect(said(requests[3] as RecordedRequest)).toContain("migrations is changed by people only.");
    expect(said(requests[4] as RecordedRequest)).toMatch(/Bash\(git push\*\)|denied/i);
    expect(readFileSync(join(s.project, "LICENSE"), "utf8")).toBe("All rights reserved\n");
    expect(readFileSync(join(s.project, "faster.js"), "utf8")).toBe("export const total = 1;\n");

    // A project cannot change locked settings, even if it is trusted.
    for (const weaker of [
      '[permissions]\nmode = "full"\n',
      '[permissions]\nallow = ["Bash"]\n',
      'without = ["protected-files"]\n',
      "[protected-files]\npaths = []\n",
    ]) {
      const path = s.file(".scorel/config.toml", weaker);
      const refused = await s.run([...preset, "--trust", "-p", "hi"], { guarded: true });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is locked (")]);
      expect(refused.stderr).toMatch(/team-preset\/preset\.toml:\d+\)/);
      expect(refused.stderr).toContain(path.slice(s.project.length));
    }
    s.file(".scorel/config.toml", "");
    expect(fresh()).toEqual([]);

    // The next version is shown as a diff before it is installed.
    const shown = await s.run(["preset", "update", "team-preset", second]);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain("  changed  instructions/house-rules.md\n    +- Ask before you add a dependency.\n");
    expect(shown.stdout).toContain("  1 npm package: ticket-words 2.0.1  (node_modules)\n");
    expect((await s.run(["preset", "list"])).stdout).toContain(`(1.0.0 from ${first})`);
    expect(await s.run(["preset", "update", "team-preset", second, "--yes"])).toMatchObject({ code: 0 });
    expect((await s.run(["preset", "list"])).stdout).toContain(`(1.1.0 from ${second})`);
    expect(await s.run([...preset, "-p", "Again"], { guarded: true })).toMatchObject({ code: 0 });
    const [again] = fresh();
    expect(said(again as RecordedRequest)).toContain("Ticket ABC-12, as ticket-words puts it.");
    expect(said(again as RecordedRequest)).toContain("Ask before you add a dependency.");

    // With a single changed byte, the preset is not loaded.
    const guard = join(s.home, ".scorel/presets/team-preset/extensions/protected-files.ts");
    appendFileSync(guard, "// and now for something else\n");
    const tampered = await s.run([...preset, "-p", "hi"], { guarded: true });
    expect([tampered.code, tampered.stderr]).toEqual([
      2,
      'scorel: The preset "team-preset" differs from what was installed: extensions/protected-files.ts (changed). It is not loaded. To see what differs: scorel preset diff team-preset; to install it again: scorel preset update team-preset\n',
    ]);
    const diff = await s.run(["preset", "diff", "team-preset"]);
    expect([diff.code, diff.stdout]).toEqual([
      1,
      expect.stringMatching(
        /:\n {2}changed {2}extensions\/protected-files\.ts\n {4}\+\/\/ and now for something else\n$/,
      ),
    ]);
    expect(fresh()).toEqual([]);
    expect(await s.run(["preset", "update", "team-preset", "--yes"])).toMatchObject({ code: 0 });
    expect(readFileSync(guard, "utf8")).toBe(exampleFiles()["extensions/protected-files.ts"]);

    // After removal, it is gone.
    expect(await s.run(["preset", "remove", "team-preset"])).toMatchObject({
      code: 0,
      stdout: 'Removed "team-preset".\n',
    });
    expect(existsSync(join(s.home, ".scorel/presets/team-preset"))).toBe(false);
    const gone = await s.run([...preset, "-p", "hi"], { guarded: true });
    expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('There is no preset "team-preset"')]);

    // The project's npm settings were ignored, and no script of a package ran.
    expect(theirs.requests).toEqual([]);
    expect(registry.requests.length).toBeGreaterThan(0);
  });
});

describeWith("script", "the question before a preset is installed", () => {
  const QUESTION = "Install it? [y]es, [N]o, [s]how: ";

  it("shows the files, installs only after a yes, and asks again before an update", async () => {
    using s = scratch({ inProcess: true });
    const [first, second] = [
      pack(s, "v1.tgz", exampleFiles()),
      pack(s, "v2.tgz", { ...exampleFiles(), "instructions/new.md": "New\n" }),
    ];
    const place = join(s.home, ".scorel/presets/team-preset");
    {
      await using no = terminal(s, ["preset", "add", first]);
      await no.shows("extension checks: brings tools");
      await no.shows(QUESTION);
      no.type("\r");
      expect([await no.code, existsSync(place)]).toEqual([1, false]);
    }
    {
      await using yes = terminal(s, ["preset", "add", first]);
      await yes.shows(QUESTION);
      yes.type("s\r");
      await yes.shows("--- extensions/checks.ts");
      await yes.shows("lines. Enter shows more, q ends this: ");
      yes.type("q\r");
      await yes.shows(QUESTION);
      expect(existsSync(place)).toBe(false);
      yes.type("y\r");
      await yes.shows('Installed "team-preset".');
      expect([await yes.code, existsSync(place)]).toEqual([0, true]);
    }
    {
      await using interrupted = terminal(s, ["preset", "update", "team-preset", second]);
      await interrupted.shows("added    instructions/new.md");
      await interrupted.shows(QUESTION);
      interrupted.type("\u0003");
      expect([await interrupted.code, existsSync(join(place, "instructions/new.md"))]).toEqual([130, false]);
    }
    await using update = terminal(s, ["preset", "update", "team-preset", second]);
    await update.shows(QUESTION);
    update.type("y\r");
    expect([await update.code, existsSync(join(place, "instructions/new.md"))]).toEqual([0, true]);
    expect(readdirSync(join(s.home, ".scorel/presets/.staging"))).toEqual([]);
  }, 30_000);
});
