import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { placeInput } from "../../../plugins/runner/workspace/inputs.ts";
import { makeLayout } from "../../../plugins/runner/workspace/layout.ts";
import { collect, defaultLimits } from "../../../plugins/runner/workspace/outputs.ts";
import { confines } from "../../optional.ts";
import { type Shop, shop } from "./setup.ts";

/** A folder that no program may change, with a file in it. */
function vault(t: Shop): { folder: string; intact(): boolean } {
  const folder = join(fs.realpathSync(t.g.home), "vault");
  fs.mkdirSync(folder);
  fs.writeFileSync(join(folder, "x"), "SECRET");
  const holds = (path: string) => fs.readdirSync(path).join() === "x" && fs.readFileSync(join(path, "x"), "utf8");
  return { folder, intact: () => holds(folder) === "SECRET" };
}

/** A program that repeatedly replaces a folder of the workspace by a link, until it is disposed. */
async function swapping(t: Shop, name: string, target: string): Promise<AsyncDisposable> {
  const [folder, link, other] = ["", ".link", ".other"].map((end) => join(t.workspace, `${name}${end}`));
  fs.mkdirSync(folder as string, { recursive: true });
  fs.writeFileSync(join(folder as string, "x"), "mine");
  fs.symlinkSync(target, link as string);
  const script = `const { renameSync } = require("node:fs"); const [a, b, c] = process.argv.slice(1);
    const swap = (x, y) => { try { renameSync(x, y); } catch {} };
    console.log("up"); for (;;) { swap(a, c); swap(b, a); swap(a, b); swap(c, a); }`;
  const child = spawn(process.execPath, ["-e", script, folder as string, link as string, other as string]);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return {
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("a program that replaces the workspace's own folders", () => {
  it.each(["out", "work", "runs"])("by links (%s) makes the next run create real ones", async (name) => {
    await using t = await shop();
    const { folder, intact } = vault(t);
    await t.run({
      command: `mv "$WORKSPACE_DIR/${name}" "$WORKSPACE_DIR/old"; ln -s ${folder} "$WORKSPACE_DIR/${name}"`,
    });
    const { exit_code } = await t.run({ command: 'echo 1 > out/a; echo 1 > work/b; echo 1 > "$RUN_DIR/c"' });
    expect([exit_code, intact(), fs.lstatSync(join(t.workspace, name)).isDirectory()]).toEqual([0, true, true]);
  });

  it("by files makes the next run create them again", async () => {
    await using t = await shop();
    await t.run({ command: 'cd "$WORKSPACE_DIR"; rm -rf out work; echo no > out; echo no > work' });
    expect((await t.run({ command: "echo 1 > out/a; echo 1 > inputs/b" })).exit_code).toBe(0);
  });
});

describe("a program that swaps folders while it runs", () => {
  const TIMES = 200;

  it("cannot redirect an input or a removal", async () => {
    await using t = await shop();
    const { folder, intact } = vault(t);
    await t.run({ command: "echo input > work/in" });
    const { ino } = fs.lstatSync(join(folder, "x"));
    await using _swapping = await swapping(t, "work/d", folder);
    const place = () => placeInput({ from: "workspace://work/in", to: "work/d/x" }, groundOf(t));
    const told = Array.from({ length: TIMES }, () => outcome(place));
    expect(told.some((each) => typeof each === "object")).toBe(true);
    expect([intact(), fs.lstatSync(join(folder, "x")).ino]).toEqual([true, ino]);
  });

  it("cannot make the runner read or list other folders", async () => {
    await using t = await shop();
    const { folder } = vault(t);
    fs.writeFileSync(join(folder, "private-name"), "SECRET");
    await t.run({ command: "true" });
    await using _swapping = await swapping(t, "out/d", folder);
    for (let time = 0; time < TIMES; time++) {
      outcome(() => placeInput({ from: "workspace://out/d", to: "work/got" }, groundOf(t)));
      const got = join(t.workspace, "work/got");
      if (fs.existsSync(got)) expect([[], ["x"]]).toContainEqual(fs.readdirSync(got));
      const { files, warnings } = collect(t.workspace, "runs/none", { ...defaultLimits, globs: ["out/**"] });
      const said = [...files.map(({ bytes }) => String(bytes)), ...warnings].join();
      expect(said).not.toMatch(/SECRET|private-name/);
    }
  });
});

function groundOf({ workspace }: Shop): Parameters<typeof placeInput>[1] {
  return { layout: makeLayout(join(workspace, "..")), artifacts: undefined, host: [], skills: {}, earlier: [] };
}

/** Returns the result; only our own errors are allowed. */
function outcome<T>(work: () => T): T | string {
  try {
    return work();
  } catch (thrown) {
    expect((thrown as { code: string }).code).toMatch(/^RUN_/);
    return String(thrown);
  }
}

describe("anything that a program leaves in out/", () => {
  it("may be a pipe, a socket or a link: it is reported without blocking", async () => {
    await using t = await shop();
    const command = `cd out; mkfifo pipe; ln -s pipe to-pipe; ln -s loop loop; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "s", Listen => 1)'; echo 1 > a`;
    const { output_files, warnings } = await t.run({ command, output_files: ["out/*"] });
    expect(output_files.map(({ name }) => name)).toEqual(["out/a"]);
    const left = ["loop", "pipe", "s", "to-pipe"].map(
      (name) => `out/${name} was skipped: it leads out of the workspace, or is not a file`,
    );
    expect(warnings?.slice(0, 4)).toEqual(left);
    for (const name of ["pipe", "to-pipe", "s", "loop"])
      expect(await t.read({ file_path: `workspace://out/${name}` })).not.toContain("1\t");
    for (const mode of ["copy", "link"] as const)
      await expect(t.run({ command: "true", inputs: [{ from: "workspace://out/pipe", mode }] })).rejects.toThrow(
        "unsupported input",
      );
  });

  it("may be huge, numerous and deep without using memory or losing the answer", async () => {
    await using t = await shop();
    const command = `cd out; truncate -s 1000M sparse; perl -e 'for (1..30000) { open F, ">n$_" }'; perl -e 'for (1..250) { mkdir "a-rather-deep-folder"; chdir "a-rather-deep-folder" }'; cd ..; echo last > out/zz.txt`;
    const before = process.memoryUsage().rss;
    const { output_files, warnings } = await t.run({
      command,
      output_files: ["out/sparse", "out/zz.txt", "out/none*"],
    });
    expect(output_files.map(({ name, size_bytes, truncated }) => [name, size_bytes, truncated])).toEqual([
      ["out/sparse", 1_048_576_000, true],
      ["out/zz.txt", 5, undefined],
    ]);
    expect(warnings).toEqual([expect.stringContaining("only 20000 entries"), expect.anything()]);
    const told = (from: string, mode: "copy" | "link" = "copy") =>
      t.run({ command: "true", inputs: [{ from, mode }] }).catch(({ message }: Error) => message);
    expect(await told("workspace://out/sparse")).toContain("it is larger than");
    expect(await told("workspace://out/sparse", "link")).toContain("it is larger than");
    expect(await told("workspace://out/a-rather-deep-folder")).toContain("deep");
    expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
  });

  it("in the place of an input is removed, however deep and locked it is", async () => {
    await using t = await shop();
    const command = `cd inputs; mkdir -p a/b; echo 1 > a/b/c; chmod 0 a/b/c a/b a; mkdir d; cd d; perl -e 'for (1..250) { mkdir "a-rather-deep-folder"; chdir "a-rather-deep-folder" }'`;
    await t.run({ command });
    t.g.file("project/file", "input");
    const from = `host://${t.g.project}/file`;
    const { stdout } = await t.run({
      command: "cat inputs/a inputs/d",
      inputs: ["a", "d"].map((name) => ({ from, to: `inputs/${name}` })),
    });
    expect(stdout).toBe("inputinput");
  });

  it("is removed with its session, however deep it is", async () => {
    await using t = await shop();
    const gone = join(t.workspace, "../../gone");
    fs.mkdirSync(gone, { recursive: true });
    const deep = 'for (1..250) { mkdir "a-rather-deep-folder"; chdir "a-rather-deep-folder" }';
    execFileSync("perl", ["-e", deep], { cwd: gone });
    fs.utimesSync(gone, 1, 1);
    await t.run({ command: "true" });
    expect(fs.existsSync(gone)).toBe(false);
  });

  if (confines)
    it("cannot be a hard link to a host file", async () => {
      await using t = await shop();
      const { stdout } = await t.run({
        command:
          'ln scripts/fib.py out/hard; ln "$WORKSPACE_DIR/../metadata.json" out/meta; ln /etc/passwd out/passwd; ls -A out',
      });
      expect(stdout).toBe("");
    });
});

describe("invalid arguments", () => {
  it.each([
    ["a command with a character that none has", { command: "true\0; id" }, "command"],
    ["a command of 200,000 letters", { command: `: ${"x".repeat(200_000)}` }, "longer than the system takes"],
    ["a variable with such a character", { command: "true", env: { A: "b\0c" } }, "variable"],
    ["a variable whose name is none", { command: "true", env: { "A=B": "c" } }, "variable"],
    [
      "a folder with such a character",
      { command: "true", cwd: "scripts\0/x" },
      "a character that is not allowed in paths",
    ],
    ["a folder's name that is too long", { command: "true", cwd: "a".repeat(300) }, "cwd"],
    [
      "an input with such a character",
      { command: "true", inputs: [{ from: "workspace://work/\0" }] },
      "a character that is not allowed in paths",
    ],
    [
      "an input that never ends",
      { command: "true", inputs: [{ from: "host:///dev/zero" }] },
      "outside of the folders for inputs",
    ],
    ["an artifact whose name leads out", { command: "true", inputs: [{ from: "artifact://../../x" }] }, "artifact"],
    [
      "a place that is too deep",
      { command: "true", inputs: [{ from: "skill://math/SKILL.md", to: `work/${"a/".repeat(3000)}x` }] },
      "to",
    ],
  ])("%s is refused with a reason", async (_what, request, reason) => {
    await using t = await shop();
    await expect(t.run(request as never)).rejects.toThrow(reason);
  });

  it("are taken literally where they look like shell syntax", async () => {
    await using t = await shop();
    await t.run({ command: `echo 1 > "out/a\nb 'c"; echo 2 > 'out/$(id) *'` });
    const globs = ["out/a\nb 'c", "out/[$]*"];
    const { output_files } = await t.run({ command: "true", output_files: globs });
    expect(output_files.map(({ name }) => name)).toEqual(["out/$(id) *", "out/a\nb 'c"]);
  });
});
