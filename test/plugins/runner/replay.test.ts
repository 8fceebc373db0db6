import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LineageTree, Replay } from "@scorel/artifacts/contract";
import { describe, expect, it, vi } from "vitest";
import { purge } from "../../../plugins/blobs/purge.ts";
import { itWith } from "../../optional.ts";
import { assistant } from "../host/home.ts";
import { hash, type Shop, shop } from "./setup.ts";

const digest = expect.stringMatching(/^[0-9a-f]{64}$/);

/** Runs a command; its files in out/ are saved as artifacts. */
const made = (t: Shop, command: string, more: object = {}) =>
  t.run({ command, output_files: ["out/*"], save_as_artifacts: true, ...more });

const same = (name: string, text: string) => ({ name, before: hash(text), now: hash(text), same: true });

/** A replay of one artifact with the same result. */
const again = (name: string, text: string, version = 0): Replay => ({
  name,
  version,
  same: true,
  exitCode: { before: 0, now: 0 },
  outputs: [same(name, text)],
  changed: [],
  durationMs: expect.any(Number),
});

describe("a replayed run", () => {
  itWith("python", "leaves the same files", async () => {
    await using t = await shop();
    await made(t, "python3 scripts/fib.py 3 > out/fib.txt");
    expect(await t.replay("out/fib.txt")).toEqual(again("out/fib.txt", "0\n1\n1\n"));
  });

  it("gets its input, its variables and its folder", async () => {
    await using t = await shop();
    const call = { stdin: "hello\n", cwd: "$WORK_DIR", env: { A: "b" } };
    const block = { type: "toolCall" as const, id: "call", name: "skill_run", arguments: call };
    await t.t.session.append("message", { message: { ...assistant, content: [block] } });
    await made(t, 'read -r line; echo "$line $A" > "$OUTPUT_DIR/said"; pwd > out.txt; test -d inputs', call);
    expect(await t.replay("out/said")).toEqual(again("out/said", "hello b\n"));
  });

  it("starts with the workspace of the recorded run", async () => {
    await using t = await shop();
    await t.run({ command: "echo one > work/a; printf '#!/bin/sh\\necho two' > work/b; chmod +x work/b" });
    await made(t, "cat work/a > out/both; work/b >> out/both; rm work/a");
    await t.run({ command: "rm -r work/* out/*" });
    expect(await t.replay("out/both")).toEqual(again("out/both", "one\ntwo\n"));
  });

  it("reads the same versions of artifacts", async () => {
    await using t = await shop();
    await made(t, "echo one > out/a");
    await made(t, "cp inputs/a out/b", { inputs: [{ from: "artifact://out/a" }] });
    await made(t, "echo two > out/a");
    expect(await t.replay("out/b")).toEqual({
      ...again("out/b", "one\n"),
      outputs: [same("out/a", "one\n"), same("out/b", "one\n")],
    });
  });

  it("also compares files that were not saved, and files in the run's folder", async () => {
    await using t = await shop();
    const outputs = { globs: ["$RUN_DIR/*"], save: true };
    const { artifact_files } = await t.run({ command: 'echo 1 > out/unsaved; echo 2 > "$RUN_DIR/own"', outputs });
    expect(await t.replay(artifact_files?.[0]?.name as string)).toMatchObject({
      same: true,
      outputs: [same("$RUN_DIR/own", "2\n"), same("out/unsaved", "1\n")],
    });
  });

  it("gets the original time in SOURCE_DATE_EPOCH", async () => {
    await using t = await shop();
    await made(t, 'date -u -d "@$SOURCE_DATE_EPOCH" > out/date; gzip -n < SKILL.md > out/zipped');
    vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ["Date"] });
    const told = await t.replay("out/date").finally(() => vi.useRealTimers());
    expect(told).toMatchObject({ same: true, outputs: [{ name: "out/date" }, { name: "out/zipped" }] });
  });

  it("leaves nothing behind, unless asked to keep its workspace", async () => {
    await using t = await shop();
    await made(t, "mkdir work/closed; chmod 500 work/closed; echo 1 > out/a");
    vi.stubEnv("TMPDIR", join(t.g.home, "temp"));
    const { workspace: none } = await t.replay("out/a");
    const left = fs.readdirSync(tmpdir()).filter((name) => name.startsWith("scorel-run-"));
    const { workspace } = await t.replay("out/a", { keep: true });
    vi.unstubAllEnvs();
    expect([none, left, fs.readFileSync(join(workspace as string, "out/a"), "utf8")]).toEqual([undefined, [], "1\n"]);
  });

  it("leaves no workspace behind if it fails, even if it was to be kept", async () => {
    await using t = await shop();
    await made(t, "echo 1 > out/a");
    fs.rmSync(join(t.g.home, ".scorel/skills/math"), { recursive: true });
    const script = t.record("out/a").skill.files as string;
    fs.rmSync(join(t.g.home, ".scorel/blobs", script.slice(0, 2), script));
    vi.stubEnv("TMPDIR", join(t.g.home, "temp"));
    const failed = await t.replay("out/a", { keep: true }).catch(({ code }) => code);
    const left = fs.readdirSync(tmpdir()).filter((name) => name.startsWith("scorel-run-"));
    vi.unstubAllEnvs();
    expect([failed, left]).toEqual(["RUN_REPLAY", []]);
  });
});

describe("a replay reports as different", () => {
  it("a file, with a diff", async () => {
    await using t = await shop();
    await made(t, "echo same > out/a; date +%s%N >> out/a; head -c 9 /dev/urandom > out/b; echo 1 > out/c");
    const { same: is, outputs } = await t.replay("out/a");
    expect([is, outputs]).toEqual([
      false,
      [
        {
          name: "out/a",
          before: digest,
          now: digest,
          same: false,
          diff: expect.stringMatching(/^@@ -1 \+1 @@\n same\n-\d+\n\+\d+$/),
        },
        expect.objectContaining({ name: "out/b", same: false }),
        same("out/c", "1\n"),
      ],
    ]);
  });

  it("files that are missing or new", async () => {
    await using t = await shop();
    fs.writeFileSync(join(t.g.project, "choice"), "a");
    const inputs = [{ from: `host://${t.g.project}/choice` }];
    await made(t, 'echo 1 > "out/$(cat inputs/choice)"', { inputs });
    fs.writeFileSync(join(t.g.project, "choice"), "b");
    const { same: is, outputs, changed } = await t.replay("out/a");
    expect({ is, outputs, changed }).toEqual({
      is: false,
      outputs: [
        { name: "out/a", before: hash("1\n"), same: false, note: "it does not exist now" },
        { name: "out/b", now: hash("1\n"), same: false, note: "it did not exist then" },
      ],
      changed: [
        {
          what: "input",
          name: "work/inputs/choice",
          before: hash("a"),
          now: hash("b"),
          note: `host://${t.g.project}/choice has changed since`,
        },
      ],
    });
    fs.rmSync(join(t.g.project, "choice"));
    expect((await t.replay("out/a")).changed).toEqual([
      expect.objectContaining({ what: "input", note: expect.stringContaining("choice could not be placed: ") }),
    ]);
  });

  it("the exit code, with the error output", async () => {
    await using t = await shop();
    fs.writeFileSync(join(t.g.project, "n"), "0");
    const inputs = [{ from: `host://${t.g.project}/n` }];
    await made(t, "echo 1 > out/a; echo ends >&2; exit $(cat inputs/n)", { inputs });
    fs.writeFileSync(join(t.g.project, "n"), "7");
    expect(await t.replay("out/a")).toMatchObject({ same: false, exitCode: { before: 0, now: 7 }, stderr: "ends\n" });
  });

  it("the workspace's path, if a program wrote it", async () => {
    await using t = await shop();
    await made(t, 'echo "$WORKSPACE_DIR" > out/a; echo "$RUN_DIR/x" >> out/a');
    expect((await t.replay("out/a")).outputs[0]).toMatchObject({
      same: false,
      note: "only the path of the workspace in it differs",
    });
  });

  it("variables whose values are unknown", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    await made(t, 'echo "$MATH_TOKEN$LEVEL" | wc -c > out/a', { env: { LEVEL: "high" } });
    const log = JSON.stringify(t.artifacts.list());
    vi.unstubAllEnvs();
    const { same: is, changed } = await t.replay("out/a");
    expect([is, changed]).toEqual([
      false,
      [
        { what: "variable", name: "LEVEL", note: "LEVEL was set by the call, but its value is no longer known" },
        {
          what: "variable",
          name: "MATH_TOKEN",
          note: "MATH_TOKEN was set in your environment then, but is not set now",
        },
      ],
    ]);
    const kept = fs.readdirSync(join(t.g.home, ".scorel/blobs"), { recursive: true, withFileTypes: true });
    const blobs = kept.flatMap((file) =>
      file.isFile() ? [fs.readFileSync(join(file.parentPath, file.name), "utf8")] : [],
    );
    expect(blobs.length).toBeGreaterThan(3);
    for (const text of [log, ...blobs]) expect(text).not.toMatch(/a-token-of-the-user|"high"/);
  });

  it("a secret in its command, which no lineage contains", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    await made(t, "cat > out/said; echo a-token-of-the-user >> out/said", { stdin: "a-token-of-the-user" });
    expect(t.record("out/said").command).toBe("cat > out/said; echo [redacted] >> out/said");
    expect(t.artifacts.list()[0]?.lineage?.command).toBe("cat > out/said; echo [redacted] >> out/said");
    const { same: is, changed } = await t.replay("out/said");
    vi.unstubAllEnvs();
    expect([is, changed]).toEqual([
      false,
      [{ what: "variable", name: "command", note: "its command or input contained a secret, which was not kept" }],
    ]);
  });

  it("texts and error output without secrets, wherever these are cut", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user\non two lines");
    vi.stubEnv("MATH_KEY", "another-secret");
    await using t = await shop({ env: { math: ["MATH_TOKEN", "MATH_KEY"] } });
    fs.writeFileSync(join(t.g.project, "n"), "0");
    const inputs = [{ from: `host://${t.g.project}/n` }];
    const commands = [
      'n=$(cat inputs/n); (echo $n; printf "%0150d%s\\n" 0 "$MATH_TOKEN") > out/a',
      'test $n = 0 && echo "$MATH_TOKEN" > out/b || echo "$MATH_KEY" > out/b',
      'printf "%02040d%s" 0 "$MATH_TOKEN" >&2; exit $n',
    ];
    await made(t, commands.join("; "), { inputs });
    fs.writeFileSync(join(t.g.project, "n"), "7");
    const { stderr, outputs } = await t.replay("out/a");
    vi.unstubAllEnvs();
    expect([stderr, outputs.map(({ diff }) => diff)]).toEqual([
      `${"0".repeat(2040)}[redacte`,
      [`@@ -1 +1 @@\n-0\n+7\n ${"0".repeat(150)}[redacted`, "the texts differ only in secrets"],
    ]);
  });

  itWith("python", "a skill that has changed; the recorded version is run", async () => {
    await using t = await shop();
    await made(t, "python3 scripts/fib.py 3 > out/fib.txt");
    const before = t.artifacts.list()[0]?.lineage?.skill?.digest;
    await t.skill("math", { "scripts/fib.py": "print('changed')\n" });
    expect(await t.replay("out/fib.txt")).toEqual({
      ...again("out/fib.txt", "0\n1\n1\n"),
      changed: [
        {
          what: "skill",
          name: "math",
          before,
          now: digest,
          note: "the skill math has changed since; the version from that time ran",
        },
      ],
    });
    fs.rmSync(join(t.g.home, ".scorel/skills/math"), { recursive: true });
    expect((await t.replay("out/fib.txt")).changed).toMatchObject([
      { note: "the skill math no longer exists; the version from that time ran" },
    ]);
  });

  itWith("python", "a skill that has changed, also after a purge of blobs", async () => {
    await using t = await shop();
    await made(t, "python3 scripts/fib.py 3 > out/fib.txt");
    await t.skill("math", { "scripts/fib.py": "print('changed')\n" });
    const sessions = fs.mkdtempSync(join(t.g.home, "sessions-"));
    fs.writeFileSync(join(sessions, "s1.jsonl"), JSON.stringify(t.artifacts.list()));
    const tomorrow = Date.now() + 24 * 60 * 60 * 1000;
    expect(await purge({ blobs: join(t.g.home, ".scorel/blobs"), sessions, others: [], now: tomorrow })).toMatchObject({
      removed: 0,
    });
    expect(await t.replay("out/fib.txt")).toMatchObject({
      same: true,
      changed: [{ note: "the skill math has changed since; the version from that time ran" }],
    });
  });

  itWith("python", "a skill whose recorded files are gone: the present version is run, or none", async () => {
    await using t = await shop();
    await made(t, "python3 scripts/fib.py 3 > out/fib.txt");
    const script = fs.readFileSync(join(t.g.home, ".scorel/skills/math/scripts/fib.py"), "utf8");
    await t.skill("math", { "scripts/fib.py": "print('changed')\n" });
    fs.rmSync(join(t.g.home, ".scorel/blobs", hash(script).slice(0, 2), hash(script)));
    expect(await t.replay("out/fib.txt")).toMatchObject({
      same: false,
      changed: [
        {
          note: "the skill math has changed since; its files from that time were not kept, so the current version ran",
        },
      ],
      outputs: [{ diff: "@@ -1 +1 @@\n-0\n-1\n-1\n+changed" }],
    });
    fs.rmSync(join(t.g.home, ".scorel/skills/math"), { recursive: true });
    await expect(t.replay("out/fib.txt")).rejects.toMatchObject({ code: "RUN_REPLAY" });
  });

  it("files that were too many or too large to be stored or compared", async () => {
    await using t = await shop();
    await t.run({ command: "head -c 17000000 /dev/zero > work/large" });
    await made(t, "wc -c < work/large > out/size; mkdir out/many; cd out/many; seq 1200 | xargs touch");
    const { same: is, changed } = await t.replay("out/size");
    expect([is, changed]).toEqual([
      false,
      [
        { what: "file", name: "work/large", before: digest, note: expect.stringContaining("its content was not kept") },
        { what: "file", name: "out/", note: "201 more files are not compared: there are too many" },
      ],
    ]);
  });

  it("its input, when that is no longer stored", async () => {
    await using t = await shop();
    await made(t, "cat > out/said", { stdin: "told" });
    expect((await t.replay("out/said")).same).toBe(true);
    expect(await t.replayAs("out/said", { stdin: { sha256: hash("gone") } })).toMatchObject({
      same: false,
      changed: [{ what: "file", name: "stdin", note: "its input was not kept, so it got no input" }],
    });
  });

  it("a skill whose stored files do not match: they are not run", async () => {
    await using t = await shop();
    await made(t, "echo 1 > out/a");
    const skill = { ...t.record("out/a").skill, digest: hash("of other files") };
    expect((await t.replayAs("out/a", { skill })).changed).toMatchObject([
      {
        what: "skill",
        note: expect.stringContaining("its files from that time were not kept, so the current version ran"),
      },
    ]);
  });

  it("the network", async () => {
    await using t = await shop();
    await made(t, "echo 1 > out/a");
    expect((await t.replayAs("out/a", { network: true })).changed).toEqual([
      { what: "network", name: "math", note: "it had the network then, by [runner] network" },
    ]);
  });

  it("the executor", async () => {
    await using t = await shop({}, "local");
    await made(t, "echo 1 > out/a");
    expect(await t.replayAs("out/a", { executor: "docker" })).toMatchObject({
      same: true,
      changed: [{ what: "executor", before: "docker", now: "local" }],
    });
  });
});

describe("a run that cannot be replayed", () => {
  it("gives a reason", async () => {
    await using t = await shop();
    await t.artifacts.save({ name: "said", content: Buffer.from("x"), mimeType: "text/plain", lineage: { by: "me" } });
    await expect(t.replay("said")).rejects.toThrow("said cannot be reproduced: there is no record of how it was run.");
    await made(t, "echo 1 > out/a");
    const sha256 = t.artifacts.list()[0]?.lineage?.run?.sha256 ?? "";
    fs.rmSync(join(t.g.home, ".scorel/blobs", sha256.slice(0, 2), sha256));
    await expect(t.replay("out/a")).rejects.toThrow(`the record of how it was run is not stored here (${sha256})`);
  });

  it("has a record with paths outside of the workspace", async () => {
    await using t = await shop();
    await made(t, "echo 1 > out/a");
    const before = [{ name: "../../x", size: 1, mode: 0o644, sha256: hash("1\n") }];
    await expect(t.replayAs("out/a", { before })).rejects.toMatchObject({
      code: "RUN_REPLAY",
    });
  });

  it("used a skill of a project that is no longer trusted", async () => {
    await using t = await shop();
    await made(t, "echo 1 > out/a");
    const skill = { ...t.record("out/a").skill, digest: "x", source: "project" };
    await expect(t.replayAs("out/a", { skill })).rejects.toThrow("a project that is not trusted");
  });
});

describe("a lineage", () => {
  it("goes back to the first artifact, also through workspace files", async () => {
    await using t = await shop();
    await made(t, "echo one > out/a");
    await made(t, "cp inputs/a out/b", { inputs: [{ from: "artifact://out/a@0" }] });
    await made(t, "cp inputs/b out/c", { inputs: [{ from: "workspace://out/b" }, { from: "artifact://out/b" }] });
    const names = ({ artifact, inputs, again: seen }: LineageTree): object => ({
      [`${artifact.name}@${artifact.version}${seen ? " again" : ""}`]: inputs.map(
        (each) => each.made && names(each.made),
      ),
    });
    // Each run saved the out/a that it found.
    expect(names(await t.request("get_lineage", { name: "out/c" }))).toEqual({
      "out/c@0": [{ "out/a@0": [] }, { "out/b@0": [{ "out/a@0 again": [] }] }],
    });
  });
});
