import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { type Scratch, scratch } from "../e2e/scorel.ts";

const demo = ["--model", "offline/demo"];

/** A stored session whose log was changed. */
async function changed(
  s: Scratch,
  change: (text: string) => string,
): Promise<{ log: string; id: string; text: string }> {
  expect((await s.run(["-p", "run echo one", ...demo])).code).toBe(0);
  const [log = ""] = s.logs();
  const text = change(readFileSync(log, "utf8"));
  writeFileSync(log, text);
  return { log, id: log.slice(log.lastIndexOf("/") + 1, -".jsonl".length), text };
}

describe("a file among the sessions that is not a log", () => {
  it.each<[string, (text: string) => string, string]>([
    ["is empty", () => "", "it is empty"],
    ["lost its header", (text) => text.slice(text.indexOf("\n") + 1), "its first line is not a session header"],
  ])("that %s is named by every command, and left unchanged", async (_what, change, reason) => {
    using s = scratch();
    const { log, id, text } = await changed(s, change);
    const named = expect.stringContaining(`${log} is not a session log: ${reason}`);
    expect(await s.run(["session", "list"])).toMatchObject({ code: 0, stdout: "", stderr: named });
    expect(await s.run(["session", "list", "--all"])).toMatchObject({ code: 0, stdout: named });
    expect(await s.run(["session", "verify", id])).toMatchObject({ code: 1, stdout: named });
    for (const command of [
      ["session", "show", id],
      ["session", "context", id],
      ["session", "events", id],
      ["-p", "run echo two", "--session", id, ...demo],
    ])
      expect(await s.run(command)).toMatchObject({ code: 1, stdout: "", stderr: named });
    expect(readFileSync(log, "utf8")).toBe(text);
    // The index, which can be rebuilt, and the diagnostic log may exist beside it.
    const left = readdirSync(dirname(log)).filter((name) => !/\.(index\.json|log)$/.test(name));
    expect(left).toEqual([`${id}.jsonl`]);
    expect((await s.run(["-p", "run echo two", ...demo])).code).toBe(0);
  });
});

describe("a log with a damaged header", () => {
  it.each<[string, (text: string) => string]>([
    ["a key", (text) => text.replace('"meta":', '"mata":')],
    ["its time", (text) => text.replace(/"createdAt":\d/, '"createdAt":0')],
    ["its JSON, and its version", (text) => text.replace(/"version":\d/, '"version:')],
    ["its session's id", (text) => text.replace('"sessionId":"', '"sessionId":')],
  ])("in %s can be read, accepts no message, and every client tells why", async (_what, change) => {
    using s = scratch({ inProcess: true });
    const { log, id, text } = await changed(s, change);
    const said = "header: its checksum does not match";
    const list = await s.run(["session", "list", "--all"]);
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
    expect(list.stdout).toContain("its header fails its checksum");
    expect(await s.run(["session", "verify", id])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`line 1, offset 0: ${said}`),
    });
    for (const look of ["show", "context", "events"])
      expect(await s.run(["session", look, id])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("run echo one"),
      });
    expect(await s.run(["-p", "run echo two", "--session", id, ...demo])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/scorel: .*open for reading only: its header fails its checksum/),
    });
    expect(readFileSync(log, "utf8")).toBe(text);
  });
});

describe("a log of a newer format", () => {
  it("can be read, accepts no message, and every client tells why", async () => {
    using s = scratch({ inProcess: true });
    const newer = (text: string) => {
      const [header = "{}", ...events] = text.split("\n");
      const { crc: _crc, checksum: _none, ...fields } = JSON.parse(header) as Record<string, unknown>;
      return [JSON.stringify({ ...fields, version: 99 }), ...events].join("\n");
    };
    const { log, id, text } = await changed(s, newer);
    const why = expect.stringMatching(/format 99 is newer.*update Scorel/);
    expect(await s.run(["-p", "run echo two", "--continue", ...demo])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: why,
    });
    const said = await s.run(["chat", "--continue", ...demo], { input: "run echo two\n" });
    expect(said).toMatchObject({ code: 1, stdout: why });
    expect(await s.run(["session", "show", id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("echo one"),
    });
    expect(await s.run(["session", "verify", id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("format 99"),
    });
    expect(readFileSync(log, "utf8")).toBe(text);
  });
});
