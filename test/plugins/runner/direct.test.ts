import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DirectEnd, DirectRequest } from "@scorel/runner/contract";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Shop, shop } from "./setup.ts";

type Asked = Omit<Partial<DirectRequest>, "request"> & Partial<DirectRequest["request"]>;

const begin = async (t: Shop, command: string, { stdin, host, out, keep, ...request }: Asked = {}): Promise<string> => {
  const more = Object.fromEntries(
    Object.entries({ stdin, host, out, keep }).filter(([, value]) => value !== undefined),
  );
  return (await t.request("run_skill", { request: { skill: "math", command, ...request }, ...more })).run;
};

/** Follows a run until it ends; returns its output and its end. */
async function follow(t: Shop, run: string): Promise<{ stdout: Buffer; stderr: string; end: DirectEnd }> {
  const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (;;) {
    const { output, ended } = await t.request("follow_run", { run });
    for (const { from, base64 } of output) said[from as "stdout"].push(Buffer.from(base64, "base64"));
    if (ended) return { stdout: Buffer.concat(said.stdout), stderr: String(Buffer.concat(said.stderr)), end: ended };
  }
}
const whole = async (t: Shop, command: string, more?: Asked) => follow(t, await begin(t, command, more));

/** The folders of runs of this test. */
function ownFolders(t: Shop): () => string[] {
  vi.stubEnv("TMPDIR", join(t.g.home, "temp"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => fs.readdirSync(tmpdir()).filter((name) => name.startsWith("scorel-run-"));
}

describe("a program that a person runs", () => {
  it("passes on its output byte for byte, however slowly it is read, and its exit code", async () => {
    await using t = await shop();
    const run = await begin(t, "head -c 300000 /dev/zero | tr '\\0' '\\377'; echo no >&2; exit 3");
    const { stdout, stderr, end } = await follow(t, run);
    expect([stdout.length, stdout.every((byte) => byte === 255), stderr, end.exitCode]).toEqual([
      300_000,
      true,
      "no\n",
      3,
    ]);
    expect(end.result).toMatchObject({ exit_code: 3, warnings: ["stdout truncated"] });
    await expect(t.request("follow_run", { run })).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
  });

  it("has its own workspace, which is removed afterwards", async () => {
    await using t = await shop();
    const folders = ownFolders(t);
    await t.run({ command: "echo of the session > out/a" });
    const { stdout } = await whole(t, "ls out; echo 1 > out/b; mkdir work/closed; chmod 500 work/closed");
    expect([String(stdout), folders(), fs.readdirSync(join(t.workspace, "out"))]).toEqual(["", [], ["a"]]);
    const { end } = await whole(t, "echo 1 > out/b", { keep: true });
    expect(fs.readFileSync(join(end.workspace as string, "out/b"), "utf8")).toBe("1\n");
  });

  it("receives input until it stops reading", async () => {
    await using t = await shop();
    const run = await begin(t, "head -c 3", { stdin: true });
    const feed = (text: string, end = false) =>
      t.request("feed_run", { run, base64: Buffer.from(text).toString("base64"), end });
    expect(await feed("ab")).toEqual({ open: true });
    await feed("cdef", true);
    expect(String((await follow(t, run)).stdout)).toBe("abc");
    const silent = await begin(t, "cat; echo end");
    expect(String((await follow(t, silent)).stdout)).toBe("end\n");
  });

  it("gets the files that the person names, and others only from allowed folders", async () => {
    await using t = await shop();
    const folders = ownFolders(t);
    const file = join(t.g.home, "mine");
    fs.writeFileSync(file, "mine");
    const inputs = [{ from: `host://${file}` }];
    expect(String((await whole(t, "cat inputs/mine", { inputs, host: [file] })).stdout)).toBe("mine");
    await expect(begin(t, "cat inputs/mine", { inputs })).rejects.toMatchObject({ code: "RUN_INPUT" });
    expect(folders()).toEqual([]);
  });

  it("copies complete files to the requested folder, and nothing from outside", async () => {
    await using t = await shop();
    const out = join(t.g.home, "results");
    const { end } = await whole(t, "mkdir out/d; head -c 5000000 /dev/zero > out/d/big; ln -s /etc/passwd out/door", {
      out,
    });
    expect(end.files).toEqual([{ name: "out/d/big", size: 5_000_000, to: join(out, "d/big") }]);
    expect(end.leftOut).toEqual(["out/door was skipped: it leads out of the workspace, or is not a file"]);
    expect(fs.statSync(join(out, "d/big")).size).toBe(5_000_000);
    expect(fs.readdirSync(out)).toEqual(["d"]);
    await expect(begin(t, "true", { out })).rejects.toMatchObject({ code: "RUN_OUT" });
    await expect(begin(t, "true", { out: join(out, "d/big") })).rejects.toMatchObject({ code: "RUN_OUT" });
  });

  it("is killed with everything it started: by its time limit, or on request", async () => {
    await using t = await shop();
    expect((await whole(t, "sleep 50 & sleep 50", { timeout: 0.2 })).end).toMatchObject({ ended: "timeout" });
    const run = await begin(t, "echo on; sleep 50 & sleep 50");
    await t.request("follow_run", { run });
    await t.request("end_run", { run });
    expect((await follow(t, run)).end).toMatchObject({ ended: "cancelled", result: { exit_code: -1 } });
  });

  it("can be followed by two calls at once: one gets the output, and none waits for ever", async () => {
    await using t = await shop();
    const run = await begin(t, "head -n 1; cat", { stdin: true });
    const feed = (text: string, end: boolean) =>
      t.request("feed_run", { run, base64: Buffer.from(text).toString("base64"), end });
    const calls = [t.request("follow_run", { run }), t.request("follow_run", { run })];
    await feed("one\n", false);
    const first = await Promise.race(calls);
    await feed("two\n", true);
    const all = await Promise.all(calls);
    const output = all.flatMap((each) => each.output).map(({ base64 }) => String(Buffer.from(base64, "base64")));
    expect([first.output.length, output]).toEqual([1, ["one\n", "two\n"]]);
  });

  it("is forgotten after its end was told, also if that is an error", async () => {
    await using t = await shop();
    const out = join(t.g.home, "results");
    const run = await begin(t, "cat > out/a", { stdin: true, out });
    fs.mkdirSync(out);
    fs.writeFileSync(join(out, "a"), "of somebody else");
    await t.request("feed_run", { run, base64: "", end: true });
    await expect(follow(t, run)).rejects.toMatchObject({ code: "RUN_OUT" });
    await expect(t.request("follow_run", { run })).rejects.toMatchObject({ code: "RUN_UNKNOWN" });
    expect(fs.readFileSync(join(out, "a"), "utf8")).toBe("of somebody else");
  });

  it("is forgotten when its client has left", async () => {
    await using t = await shop();
    const client = new AbortController();
    const { run } = await t.request("run_skill", { request: { skill: "math", command: "sleep 50" } }, client.signal);
    client.abort();
    await expect
      .poll(() => t.request("feed_run", { run, base64: "" }).catch(({ code }) => code), { timeout: 10_000 })
      .toBe("RUN_UNKNOWN");
  });
});
