import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { tryLock } from "../../plugins/kit/files/lock.ts";
import { ownPackages } from "../../plugins/packages/store/own-packages.ts";
import { confirmHeld } from "../../plugins/trust/held/held.ts";
import { linesBeginning } from "../../plugins/trust/held/log-lines.ts";
import { toolSpans as spansOf } from "../../plugins/trust/held/tool-times.ts";
import { findExtensions } from "../../presets/composition/extension-files.ts";
import { heldNow, withoutHeld } from "../../presets/composition/trust.ts";
import { type Place, place } from "./place.ts";

const plugin = (id: string) => `export default { id: "${id}", name: "${id}", version: "1.0.0", needs: [] };`;

const line = (ts: number, message: object) => `${JSON.stringify({ type: "message", id: `e${ts}`, ts, message })}\n`;
const calling = (ts: number, ...ids: string[]) =>
  line(ts, { role: "assistant", content: ids.map((id) => ({ type: "toolCall", id, name: "Bash", arguments: {} })) });
const result = (ts: number, toolCallId: string) => line(ts, { role: "tool_result", toolCallId, content: [] });
const said = (ts: number, role = "user") => line(ts, { role, content: "hi" });

/** Writes the log of a session in which a tool ran around the time when a file last changed. */
function session(at: Place, id: string, file: string, { before = 200, after = 200 } = {}): void {
  const changed = statSync(file).ctimeMs;
  const path = join(at.home, ".scorel/sessions", `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, said(changed - 5000) + calling(changed - before, "a") + result(changed + after, "a"));
}

const toolSpans = (log: string) => spansOf(log.split("\n"));

const loaded = async () => {
  const { extensions, problems } = await withoutHeld(await findExtensions(undefined));
  return { ids: extensions.map(({ id }) => id), problems: problems.map(({ code }) => code) };
};

const NOBODY = 65_534;

/** Runs `work` as a user who has the home but not all rights, which root has. */
async function asUser<R>({ home }: Place, work: () => Promise<R>): Promise<R> {
  if (process.getuid?.() !== 0) return work();
  chmodSync(dirname(home), 0o755);
  for (const path of ["", ...readdirSync(home, { recursive: true, encoding: "utf8" })])
    chownSync(join(home, path), NOBODY, NOBODY);
  vi.spyOn(process, "getuid").mockReturnValue(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    vi.restoreAllMocks();
  }
}

describe("the times of a log when tools ran", () => {
  it("start with each reply that calls tools, and end with the last of its results", () => {
    const log = said(1) + calling(10, "a", "b") + result(11, "b") + result(15, "a") + said(20, "assistant");
    expect(toolSpans(log)).toEqual([{ from: 10, until: 15 }]);
    expect(toolSpans(log + said(30) + calling(40, "c") + result(41, "c"))).toEqual([
      { from: 10, until: 15 },
      { from: 40, until: 41 },
    ]);
  });

  it("end with the next event if a result is missing, and do not end if there is none", () => {
    expect(toolSpans(calling(10, "a", "b") + result(12, "a"))).toEqual([{ from: 10, until: Number.POSITIVE_INFINITY }]);
    expect(toolSpans(calling(10, "a") + said(99))).toEqual([{ from: 10, until: 99 }]);
  });

  it("last until every call of a reply has its result", () => {
    expect(toolSpans(calling(10, "a", "b") + result(11, "a") + said(12, "assistant"))).toEqual([
      { from: 10, until: 12 },
    ]);
    const log = calling(10, "a", "b") + result(11, "a") + result(19, "b") + said(20, "assistant");
    expect(toolSpans(log)).toEqual([{ from: 10, until: 19 }]);
  });

  it("are read despite damaged lines", () => {
    const log = `{"type":"message","torn\n${calling(10, "a")}not json\n{"type":"message"}\n${result(12, "a")}`;
    expect(toolSpans(log)).toEqual([{ from: 10, until: 12 }]);
  });
});

describe("lines of a log that begin as wanted", () => {
  const linesIn = (text: string) => {
    using at = place();
    return [...linesBeginning('{"type":"message"', at.file("log.jsonl", text))];
  };

  it("are found wherever the pieces end in which the file is read", () => {
    const lines = Array.from({ length: 40 }, (_, at) => said(at).trimEnd() + " ".repeat(90_000 + 7919 * at));
    const others = lines.map((_, at) => `{"type":"other"}${"ü".repeat(at * 1000)}\n`);
    expect(linesIn(lines.map((text, at) => `${others[at]}${text}\n`).join(""))).toEqual(lines);
  });

  it("do not need their line break at the end of the file, but their whole beginning", () => {
    expect(linesIn(`${said(1)}{"type":"mess\n\n${said(2).trimEnd()}`)).toEqual([said(1).trimEnd(), said(2).trimEnd()]);
    expect(linesIn('{"type":"mess')).toEqual([]);
  });

  it("are found in a file that is longer than a string may be", () => {
    using at = place();
    const path = at.file("log.jsonl", said(1));
    truncateSync(path, 600 * 2 ** 20);
    appendFileSync(path, `\n${said(2)}`);
    expect([...linesBeginning('{"type":"message"', path)]).toEqual([said(1).trimEnd(), said(2).trimEnd()]);
  });
});

describe("an extension of a preset in ~/.scorel that was put there by hand", () => {
  const code = "~/.scorel/presets/team/extensions/rules.ts";
  const held = async () => {
    const { extensions, problems } = await withoutHeld(await findExtensions(undefined, ownPackages()));
    return { ids: extensions.map(({ id }) => id), problems: problems.map(({ code }) => code) };
  };

  it("is held back until it is confirmed if any file in it that may be code changed while tools ran", async () => {
    using at = place();
    at.file("~/.scorel/presets/team/preset.toml");
    at.file("~/.scorel/extensions/own.ts", plugin("own"));
    const file = at.file(code, plugin("rules"));
    session(at, "S0", file, { before: 4000, after: -3000 });
    expect(await held()).toEqual({ ids: ["own", "rules"], problems: [] });
    session(at, "S1", at.file("~/.scorel/presets/team/lib/helper.ts", "export {};"));
    expect(await held()).toEqual({ ids: ["own"], problems: ["EXTENSION_HELD"] });
    expect(await loaded()).toEqual({ ids: ["own"], problems: [] });
    const [seen] = await heldNow();
    expect([seen?.id, seen?.path, seen?.sessionId, Object.keys(seen?.files ?? {})]).toEqual([
      "rules",
      file,
      "S1",
      ["../presets/team/lib/helper.ts"],
    ]);
    await confirmHeld(await heldNow());
    session(at, "S1", at.file("~/.scorel/presets/team/instructions/words.md", "Be kind."));
    expect(await held()).toEqual({ ids: ["own", "rules"], problems: [] });
  });

  it("is left out while its preset can be entered but not listed", async () => {
    using at = place();
    at.file("~/.scorel/presets/team/preset.toml");
    at.file(code, plugin("rules"));
    expect(await held()).toEqual({ ids: ["rules"], problems: [] });
    chmodSync(join(at.home, ".scorel/presets/team"), 0o311);
    expect(await asUser(at, held)).toEqual({ ids: [], problems: ["EXTENSION_UNLISTED"] });
  });

  it("is held back if the whole preset appeared while tools ran", async () => {
    using at = place();
    at.file("~/.scorel/presets/coding/preset.toml");
    session(at, "S1", at.file("~/.scorel/presets/coding/extensions/evil.ts", plugin("evil")));
    expect(await held()).toEqual({ ids: [], problems: ["EXTENSION_HELD"] });
  });
});

describe("an extension of the user's own", () => {
  it("is loaded if no tool ran while it changed, whatever runs later", async () => {
    using at = place();
    const file = at.file("~/.scorel/extensions/own.ts", plugin("own"));
    session(at, "earlier", file, { before: 4000, after: -3000 });
    expect(await loaded()).toEqual({ ids: ["own"], problems: [] });
    session(at, "later", file);
    expect(await loaded()).toEqual({ ids: ["own"], problems: [] });
  });

  it("is held back until it is confirmed if it changed while tools ran, and again if it changes again", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    expect(await loaded()).toEqual({ ids: ["mine"], problems: [] });
    const change = (more: string) => {
      const file = at.file("~/.scorel/extensions/mine.ts", plugin("mine"), more);
      session(at, "S1", file);
      return file;
    };
    const file = change("// one");
    for (let round = 0; round < 2; round++) expect(await loaded()).toEqual({ ids: [], problems: ["EXTENSION_HELD"] });
    expect(await heldNow()).toEqual([
      { id: "mine", path: file, sessionId: "S1", files: { "mine.ts": expect.stringMatching(/^[\da-f]{64}$/) } },
    ]);
    const seen = await heldNow();
    change("// swapped before the answer");
    await confirmHeld(seen);
    expect((await loaded()).ids).toEqual([]);
    await confirmHeld(await heldNow());
    expect([await loaded(), await heldNow()]).toEqual([{ ids: ["mine"], problems: [] }, []]);
    change("// two");
    expect(await loaded()).toEqual({ ids: [], problems: ["EXTENSION_HELD"] });
  });

  it("is held back for a killed session only until a start has seen that its process has ended", async () => {
    using at = place();
    const first = at.file("~/.scorel/extensions/first.ts", plugin("first"));
    const log = join(at.home, ".scorel/sessions/S1.jsonl");
    mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
    writeFileSync(log, calling(statSync(first).ctimeMs - 200, "a"));
    const running = tryLock(join(dirname(log), "S1.lock"));
    for (let round = 0; round < 2; round++) expect((await loaded()).ids).toEqual([]);
    at.file("~/.scorel/extensions/second.ts", plugin("second"));
    expect((await loaded()).ids).toEqual([]);
    if (running && "release" in running) running.release();
    expect((await loaded()).ids).toEqual([]);
    // As if a start had seen it before the extensions changed.
    const ended = (statSync(first).ctimeMs - 100) / 1000;
    utimesSync(join(at.home, ".scorel/cache/ended/S1"), ended, ended);
    expect((await loaded()).ids).toEqual(["first", "second"]);
  });

  it("is not held back if the user saved it right after a tool ended, during a run or at its end", async () => {
    using at = place();
    const file = at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    session(at, "S1", file, { before: 20, after: -2 });
    expect(await loaded()).toEqual({ ids: ["mine"], problems: [] });
  });

  it("is held back if it changed in the clock tick in which a tool began or ended", async () => {
    for (const times of [
      { before: -40, after: 90 },
      { before: 40, after: 0 },
    ]) {
      using at = place();
      session(at, "S1", at.file("~/.scorel/extensions/mine.ts", plugin("mine")), times);
      expect(await loaded()).toEqual({ ids: [], problems: ["EXTENSION_HELD"] });
    }
  });

  it("is held back after a session was killed, until a later start has ended its leftover processes", async () => {
    using at = place();
    const file = at.file("~/.scorel/extensions/mine.ts", plugin("mine"));
    const changed = statSync(file).ctimeMs;
    const kill = (called: number) => at.file("~/.scorel/sessions/S1.jsonl", calling(called, "a"));
    const ended = (when: number) => {
      const mark = at.file("~/.scorel/cache/ended/S1");
      utimesSync(mark, when / 1000, when / 1000);
    };
    kill(changed - 5000);
    for (const when of [changed + 1000, changed - 6000]) {
      ended(when);
      expect((await loaded()).problems).toEqual(["EXTENSION_HELD"]);
    }
    ended(changed - 1000);
    expect(await loaded()).toEqual({ ids: ["mine"], problems: [] });
  });

  it("is held back for a helper in its folder, and all extensions for a helper beside them", async () => {
    using at = place();
    at.file("~/.scorel/extensions/a/index.ts", 'import "./helper.ts";', plugin("a"));
    at.file("~/.scorel/extensions/b.ts", plugin("b"));
    expect((await loaded()).ids).toEqual(["a", "b"]);
    session(at, "S1", at.file("~/.scorel/extensions/a/helper.ts", "export {};"));
    expect((await loaded()).ids).toEqual(["b"]);
    await confirmHeld(await heldNow());
    session(at, "S1", at.file("~/.scorel/extensions/lib/shared.ts", "export {};"));
    expect((await loaded()).ids).toEqual([]);
    await confirmHeld(await heldNow());
    expect((await loaded()).ids).toEqual(["a", "b"]);
  });

  it("is left out while a folder of it, or one beside it, can be entered but not listed, so that changes are not seen", async () => {
    using at = place();
    at.file("~/.scorel/extensions/a/index.ts", 'import "./lib/helper.ts";', plugin("a"));
    at.file("~/.scorel/extensions/a/lib/helper.ts", "export {};");
    at.file("~/.scorel/extensions/b.ts", plugin("b"));
    at.file("~/.scorel/extensions/shared/texts.ts", "export {};");
    const loadedWith = async (folder: string, mode: number) => {
      const path = join(at.home, ".scorel/extensions", folder);
      chmodSync(path, mode);
      const { extensions, idle, problems } = await asUser(at, async () => withoutHeld(await findExtensions(undefined)));
      chmodSync(path, 0o755);
      return [extensions.map(({ id }) => id), idle.map(({ id }) => id), problems.map(({ message }) => message)];
    };
    const message = (id: string, folder: string) => {
      const path = join(at.home, ".scorel/extensions", folder);
      return `Extension "${id}" is left out: you may enter the folder ${path}, but not list it, so that changes in it could not be noticed. Make it readable for you, for example with: chmod u+r ${path}`;
    };
    expect(await loadedWith("a", 0o755)).toEqual([["a", "b"], [], []]);
    for (const folder of ["a", "a/lib"])
      expect(await loadedWith(folder, 0o311)).toEqual([["b"], ["a"], [message("a", folder)]]);
    const all = ["a", "b"];
    expect(await loadedWith("shared", 0o311)).toEqual([[], all, all.map((id) => message(id, "shared"))]);
    expect(await loadedWith("shared", 0)).toEqual([all, [], []]);
    expect(await loadedWith("shared", 0o755)).toEqual([all, [], []]);
  });
});
