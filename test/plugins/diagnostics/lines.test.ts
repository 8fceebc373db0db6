import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import diagnostics from "@scorel/diagnostics";
import type { Services } from "@scorel/kernel";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { LineFile } from "../../../plugins/diagnostics/file.ts";
import { scrub } from "../../../plugins/diagnostics/scrub.ts";
import { breakDevice, brokenDevices } from "../../broken-device.ts";
import { type Script, status, text, thinking, toolCall } from "../../model-server.ts";
import { describeWith } from "../../optional.ts";
import { openAgent, says, tool } from "../agent/setup.ts";

/** Opens an agent with a readable log in a separate folder; `lines` are the log's lines without times. */
async function openLogged(script: Script, options: Parameters<typeof openAgent>[1] = {}) {
  const folder = mkdtempSync(join(tmpdir(), "scorel-lines-"));
  const path = join(folder, "session.log");
  const workspace = {
    cwd: folder,
    root: folder,
    home: folder,
    temp: folder,
    allowWrite: [],
    file: `${folder}/session.jsonl`,
  };
  const services = { workspace } as Partial<Services>;
  const t = await openAgent(script, {
    ...options,
    plugins: [diagnostics, ...(options.plugins ?? [])],
    kernel: { services },
  });
  return {
    ...t,
    path,
    lines: async () => {
      await t.kernel.drained();
      return readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, "").replace(/\d+ ms/g, "N ms"));
    },
    [Symbol.asyncDispose]: async () => {
      await t[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe("the readable log of a session", () => {
  it("describes how a turn went, without its content", async () => {
    const look = tool("Look", async () => says("the secret recipe of the house"));
    const script = [toolCall("Look", { at: "the cellar behind the barrels" }), text("It is all in the cellar.")];
    await using t = await openLogged(script, { tools: [look] });
    await (await t.agent.send("where is the recipe for the pudding?")).turn;
    expect(await t.lines()).toEqual([
      "info  model local/m1",
      "info  turn begins",
      "info  tool Look ended after N ms",
      expect.stringMatching(/^info {2}round 1 ended: toolUse, \d+ tokens$/),
      expect.stringMatching(/^info {2}round 2 ended: stop, \d+ tokens$/),
      expect.stringMatching(/^info {2}turn used \d+ tokens, \$0\.0000, N ms$/),
      "info  turn completed",
    ]);
    expect(statSync(t.path).mode & 0o777).toBe(0o600);
  });

  it("reports retries and a provider's refusal without the quoted prompt", async () => {
    const refusal = { error: { message: "overloaded by: tell me about the pudding of my aunt" } };
    await using t = await openLogged([status(529, refusal), status(400, refusal)], { config: { retries: 1 } });
    await (await t.agent.send("tell me about the pudding of my aunt")).turn;
    const lines = await t.lines();
    expect(lines.filter((line) => /^(warn|error)/.test(line))).toEqual([
      expect.stringMatching(/^warn {2}a reply ended before it had any text: error$/),
      expect.stringMatching(/^warn {2}retry 1 of 1 in N ms: .*overloaded by: \[…\]/),
      expect.stringMatching(/^warn {2}a reply ended before it had any text: error$/),
      expect.stringMatching(/^error turn failed: \w+: .*overloaded by: \[…\]/),
    ]);
    expect(lines.join("\n")).not.toContain("pudding");
  });

  it("quotes no thinking and no argument of a tool, however deep it is", async () => {
    const edit = tool("Change", async () => says("done"));
    const refusal = { error: { message: "the pudding of my aunt, and what did she mean by a pinch?" } };
    const reply = [
      thinking("what did she mean by a pinch?"),
      toolCall("Change", { edits: [{ new: "the pudding of my aunt" }] }),
    ];
    await using t = await openLogged([reply, status(400, refusal)], { tools: [edit] });
    await (await t.agent.send("go")).turn;
    const lines = (await t.lines()).filter((line) => line.startsWith("error"));
    expect(lines).toEqual([expect.stringMatching(/^error turn failed: \w+: .*\[…\], and \[…\]/)]);
  });

  it("names a failed plugin on one line, whatever its message contains", async () => {
    const broken = definePlugin({
      id: "broken",
      name: "Broken",
      version: "1.0.0",
      hooks: () => ({
        transformContext: () => {
          throw new Error("no\n2026-01-01T00:00:00.000Z info  forged");
        },
      }),
    });
    await using t = await openLogged([text("Hello.")], { plugins: [broken] });
    await (await t.agent.send("hello there")).turn;
    const told = (await t.lines()).filter((line) => line.startsWith("error"));
    expect(told).toEqual([
      expect.stringMatching(
        /^error plugin broken failed in transformContext: \w+: no 2026-01-01T00:00:00.000Z info forged$/,
      ),
    ]);
  });

  it("contains no part of a secret that is cut", async () => {
    const key = "sk-0123456789abcdef0123456789abcdef";
    const broken = definePlugin({
      ...{ id: "broken", name: "Broken", version: "1.0.0" },
      hooks: () => ({
        transformContext: () => {
          throw new Error(`${"x".repeat(430)} ${key}`);
        },
      }),
    });
    const model = { headers: { "x-api-key": key } };
    await using t = await openLogged([text("Hello.")], { plugins: [broken], model });
    await (await t.agent.send("hello there")).turn;
    const told = (await t.lines()).filter((line) => line.startsWith("error"));
    expect(told).toEqual([expect.stringMatching(/x \[redacted\]$/)]);
  });

  it("is not created for a session without events", async () => {
    await using t = await openLogged([]);
    t.session.emit("session_start", {});
    await t.kernel.drained();
    expect(existsSync(t.path)).toBe(false);
  });

  it("rotates a full file when it is opened", async () => {
    await using t = await openLogged([text("Hello.")]);
    writeFileSync(t.path, "old\n");
    truncateSync(t.path, 5 * 1024 * 1024);
    await (await t.agent.send("hello there")).turn;
    expect((await t.lines())[0]).toBe("info  model local/m1");
    expect(readFileSync(`${t.path}.1`, "utf8").slice(0, 4)).toBe("old\n");
  });

  it("does not follow a link in its place, reports it once, and the turn completes", async () => {
    await using t = await openLogged([text("Hello."), text("Again.")]);
    const victim = `${t.path}.victim`;
    writeFileSync(victim, "");
    symlinkSync(victim, t.path);
    for (const words of ["hello there", "and again"])
      expect(await (await t.agent.send(words)).turn).toMatchObject({ reason: "completed" });
    await t.kernel.drained();
    expect(readFileSync(victim, "utf8")).toBe("");
    expect(t.kernel.failures).toMatchObject([{ plugin: "diagnostics", where: "the session's readable log" }]);
  });
});

describeWith("linux", "a disk without room under the readable log", () => {
  it("is reported once with the file, and goes on when there is room, with the number of missing lines", async () => {
    await using t = await openLogged([text("One."), text("Two."), text("Three.")]);
    const ask = async (words: string) => {
      expect(await (await t.agent.send(words)).turn).toMatchObject({ reason: "completed" });
      await t.kernel.drained();
    };
    await ask("first");
    const before = await t.lines();
    const repair = breakDevice(t.path, brokenDevices.ENOSPC as string);
    await ask("second");
    repair();
    await ask("third");
    const after = (await t.lines()).slice(before.length);
    expect(after[0]).toMatch(/^warn {2}\d+ lines are missing here: the file could not be written$/);
    expect(after.length).toBeGreaterThan(1);
    expect(t.kernel.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(new RegExp(`^${t.path} could not be written: no room is left on its disk \\(ENOSPC\\)`)),
    ]);
  });
});

it("the file of a session that stays open is renamed, too, when it is full", () => {
  const folder = mkdtempSync(join(tmpdir(), "scorel-lines-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "session.log");
  const file = new LineFile(path);
  onTestFinished(() => file.close());
  const line = "x".repeat(1024 * 1024);
  for (let at = 0; at < 9; at++) file.write([`${at}${line}`]);
  const beginnings = (from: string) => readFileSync(from, "utf8").match(/^\d/gm);
  expect([beginnings(`${path}.1`), beginnings(path)]).toEqual([["4", "5", "6", "7"], ["8"]]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

describe("an error text in the log", () => {
  it("loses every phrase that occurs in the conversation, and no other", () => {
    expect(scrub("bad value 'the quick brown fox jumps' at 3", ["see the quick brown fox jumps over"])).toBe(
      "bad value '[…]' at 3",
    );
    expect(scrub("fine as it is", ["something else altogether"])).toBe("fine as it is");
  });

  it("loses a short text completely", () => {
    expect(scrub("no such word: hunter2!", ["hunter2"])).toBe("no such word: […]!");
  });

  it("loses the same as if each run of characters were looked up, in much less time", () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `line ${(at * 7_919) % 100_003} `);
    const texts = Array.from({ length: 10 }, (_, at) => `${at} ${words.slice(at).concat(words.slice(0, at)).join("")}`);
    const message = `It refuses "${words.slice(40, 44).join("")}" and "line 9 line 8" from 0 ${words.slice(0, 3).join("")}`;
    const timed = (work: () => string) => {
      const since = performance.now();
      return { result: work(), ms: performance.now() - since };
    };
    const expected = timed(() => {
      const runs = new Set<string>();
      for (const text of texts) for (let at = 0; at + 16 <= text.length; at++) runs.add(text.slice(at, at + 16));
      const isQuoted = (at: number) => runs.has(message.slice(at, at + 16));
      const chars = Array.from(message, (char, at) =>
        Array.from({ length: 16 }, (_, n) => at - n).some(isQuoted) ? "*" : char,
      );
      return chars.join("").replace(/\*+/g, "[…]").trim();
    });
    const actual = timed(() => scrub(message, texts));
    expect(actual.result).toBe(expected.result);
    expect(actual.ms).toBeLessThan(expected.ms / 2);
  });

  it("costs no more for a message of megabytes, and shows no start of a phrase where the message is cut", () => {
    const message = Array.from({ length: 300_000 }, (_, at) => `${at}`.padStart(10)).join("");
    const phrase = "the quick brown fox jumps over the lazy dog";
    const msFor = (text: string) => {
      const since = performance.now();
      scrub(text, [phrase]);
      return performance.now() - since;
    };
    const usual = msFor(message.slice(0, 20_000));
    expect(msFor(message)).toBeLessThan(10 * usual + 200);
    const secret = "a passage of the conversation";
    expect(scrub(secret.repeat(1_000), [secret.repeat(1_000)])).toBe("[…]");
  });

  it("is one line of limited length without control characters", () => {
    expect(scrub("a\r\nb\u001b[31mc", [])).toBe("a b [31mc");
    expect(scrub("x".repeat(10_000), []).length).toBeLessThan(600);
  });
});
