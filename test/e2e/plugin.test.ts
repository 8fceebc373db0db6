import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PluginRow } from "@scorel/extensions/contract";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../docs/source.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { isAlive } from "../processes.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** A folder with a TypeScript compiler, as an installation for the user would have it. */
const bin = mkdtempSync(join(tmpdir(), "scorel-tsc-"));
afterAll(() => rmSync(bin, { recursive: true }));
const tsc = join(bin, "tsc");
writeFileSync(tsc, `#!/bin/sh\nexec '${join(root, "node_modules/.bin/tsc")}' "$@"\n`, { mode: 0o755 });
/** A PATH with node and git, but no TypeScript compiler. */
const withoutTsc = "/usr/local/bin:/usr/bin:/bin";
const withTsc = `${bin}:${process.env.PATH}`;

describe("scorel plugin new", () => {
  const kinds = ["tool", "guard", "command", "projection", "service"];
  const places = [
    { whose: "project", flags: [] as string[], trust: ["--trust"] },
    { whose: "user", flags: ["--global"], trust: [] as string[] },
  ];
  it.each(kinds.flatMap((kind) => places.map((place) => ({ kind, ...place }))))(
    "--kind $kind $flags creates an extension whose test passes without installing anything",
    async ({ kind, whose, flags, trust }) => {
      using s = scratch();
      const begun = await s.run(["plugin", "new", "my-own", "--kind", kind, ...flags]);
      expect(begun).toMatchObject({ code: 0, stderr: "" });
      const folder = join(whose === "user" ? s.home : s.project, ".scorel/extensions/my-own");
      const { code, stdout } = await s.run([...trust, "plugin", "test", folder]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass [12]\n[\s\S]*fail 0/) });
      expect(rowOf(await list(s, ...trust), "my-own")).toMatchObject({ state: "loaded", of: whose });
    },
  );

  it("says that a project's extension needs trust; with it, the extension works at once", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("Without."), toolCall("Greeter", { who: "Ann" }), text("Done.")]);
    s.useModel(server.baseUrl);
    const begun = await s.run(["plugin", "new", "greeter"]);
    expect(begun.stdout).toBe(
      [
        "Wrote .scorel/extensions/greeter/index.mjs and its test.",
        "Test it:  scorel --trust plugin test .scorel/extensions/greeter",
        'Use it:   scorel --trust -p "Use the tool Greeter to greet Ann."',
        "A project's extensions are read when you trust it: --trust does for one run, scorel trust add keeps it.",
        "",
      ].join("\n"),
    );
    await s.run(["-p", "Greet Ann."]);
    await s.run(["--trust", "-p", "Greet Ann."]);
    expect(server.requests.map((request) => request.text.includes('"Greeter"'))).toEqual([false, true, true]);
    expect(server.requests[2]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "Hello Ann!" });
  });

  it("--global creates an extension that works without trust", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([toolCall("Bash", { command: "git push" }), text("Done.")]);
    s.useModel(server.baseUrl);
    expect((await s.run(["plugin", "new", "no-push", "--kind", "guard", "--global"])).stdout).not.toContain("trust");
    await s.run(["-p", "Push."]);
    expect(server.requests[1]?.body.messages.at(-1).content).toBe("Pushing is left to the user.");
  });

  it.each([
    ["command", "/mine Ann", "Hello Ann! This session has 0 events."],
    ["projection", "/mine", "0 tool results"],
  ])("--kind %s creates a slash command", async (kind, typed, shown) => {
    using s = scratch({ inProcess: true });
    await s.run(["plugin", "new", "mine", "--kind", kind, "--global"]);
    const { stdout } = await s.run(["chat", "--model", "offline/demo"], { input: `${typed}\n` });
    expect(stdout.replace(/has \d+ events/, "has 0 events")).toContain(shown);
  });

  it("overwrites nothing, whatever the ending of the existing file", async () => {
    using s = scratch({ inProcess: true });
    const mine = s.file("~/.scorel/extensions/mine.ts", "// mine\n");
    const { code, stderr } = await s.run(["plugin", "new", "mine", "--global"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${mine} already exists`) });
    expect(readFileSync(mine, "utf8")).toBe("// mine\n");
    expect(readdirSync(join(s.home, ".scorel/extensions"))).toEqual(["mine.ts"]);
  });

  it("accepts the name of a shipped plugin that is switched off, but not of one that guards a project", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", 'without = ["titles", "permissions"]\n');
    expect(await s.run(["plugin", "new", "titles"])).toMatchObject({ code: 0, stderr: "" });
    expect(await s.run(["plugin", "new", "permissions", "--global"])).toMatchObject({ code: 0, stderr: "" });
    const guard = await s.run(["plugin", "new", "permissions"]);
    expect([guard.code, guard.stderr]).toEqual([2, expect.stringContaining("a project cannot replace it")]);
  });

  it.each([
    ["tools", 'a plugin of Scorel has this name; write without = ["tools"] into config.toml'],
    ["use", "config.toml uses this word itself"],
    ["../up", "lower-case letters"],
    ["Mine", "lower-case letters"],
  ])("refuses the name %s", async (name, reason) => {
    using s = scratch({ inProcess: true });
    const { code, stderr } = await s.run(["plugin", "new", name]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
    expect(readdirSync(s.project)).toEqual([]);
  });
});

describe("scorel plugin test", () => {
  const extension = 'export default { id: "mine", name: "Mine", version: "1.0.0" };\n';
  const test = (body: string) => `import assert from "node:assert/strict";
import { test } from "node:test";
import { openSession } from "@scorel/kernel/testing";
import plugin from "./mine.ts";
test("it opens", async () => {
  await using session = await openSession({ plugins: [plugin], replies: ["Hello."] });
  ${body}
});
`;

  it("runs the tests beside a file, and returns 1 if one fails", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("~/.scorel/extensions/mine.ts", extension);
    s.file("~/.scorel/extensions/other.test.ts", "throw new Error('not of this extension');");
    s.file("~/.scorel/extensions/mine.test.ts", test('assert.equal((await session.send("Hi.")).text, "Hello.");'));
    expect(await s.run(["plugin", "test", file])).toMatchObject({ code: 0, stdout: expect.stringContaining("pass 1") });
    s.file("~/.scorel/extensions/mine.test.ts", test('assert.equal((await session.send("Hi.")).text, "Bye.");'));
    expect(await s.run(["plugin", "test", file])).toMatchObject({ code: 1, stdout: expect.stringContaining("fail 1") });
  });

  it("ends the tests when it is ended itself, and leaves nothing", async () => {
    using s = scratch();
    const temporary = join(s.home, "temporary");
    mkdirSync(temporary);
    const file = s.file("~/.scorel/extensions/mine.ts", extension);
    const hangs = "console.log('pid', process.pid);\n  await new Promise((done) => setTimeout(done, 600_000));";
    s.file("~/.scorel/extensions/mine.test.ts", test(hangs));
    const running = s.start(["plugin", "test", file], { env: { TMPDIR: temporary } });
    const pid = Number((await running.line((line) => line.startsWith("pid "))).slice(4));
    running.child.kill("SIGTERM");
    expect((await running.finished).code).toBe(143);
    await eventually(() => expect(isAlive(pid)).toBe(false));
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("gives the tests neither keys nor the user's home", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("~/.scorel/extensions/mine.ts", extension);
    const looks = "assert.deepEqual([process.env.TEST_API_KEY, process.env.HOME === HOME], [undefined, false]);";
    s.file(
      "~/.scorel/extensions/mine.test.ts",
      test(looks.replace("HOME)", "HOME)").replace("=== HOME", `=== "${s.home}"`)),
    );
    expect(await s.run(["plugin", "test", file], { env: { TEST_API_KEY: "secret" } })).toMatchObject({ code: 0 });
  });

  it("runs those of the project's extensions if no path is given, and no other tests of the project", async () => {
    using s = scratch({ inProcess: true });
    s.file("own.test.mjs", "throw new Error('a test of the project ran');");
    await s.run(["plugin", "new", "abc"]);
    expect(await s.run(["--trust", "plugin", "test"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/pass 1\n[\s\S]*fail 0/),
    });
    const untrusted = await s.run(["plugin", "test"]);
    expect(untrusted).toMatchObject({ code: 2, stderr: expect.stringContaining("a project that is not trusted") });
  });

  it("refuses those of a project that is not trusted, and says when there are none", async () => {
    using s = scratch({ inProcess: true });
    s.file(".scorel/extensions/mine.ts", extension);
    s.file(".scorel/extensions/mine.test.ts", "throw new Error('it ran');");
    const untrusted = await s.run(["plugin", "test", ".scorel/extensions/mine.ts"]);
    expect(untrusted).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("a project that is not trusted"),
    });
    const none = await s.run(["plugin", "test", s.file("alone.ts", extension)]);
    expect(none).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no tests. Write them into a file such as"),
    });
  });
});

describe("scorel plugin list", () => {
  it("shows where each plugin comes from, whether it is loaded, why not, and what it does", async () => {
    using s = scratch({ inProcess: true });
    const good = s.file(
      "~/.scorel/extensions/good.ts",
      extension("good", 'needs: ["workspace"], provides: ["good"], activate: (ctx) => ctx.provide("good", {}),'),
    );
    const bad = s.file("~/.scorel/extensions/bad.ts", 'export default {\n  id: "bad" oops\n};\n');
    const fails = s.file("~/.scorel/extensions/fails.ts", extension("fails", 'needs: ["nobody"],'));
    const throws = s.file(
      "~/.scorel/extensions/throws.ts",
      `${extension("throws", "activate() {\n    fall();\n  },")}\nfunction fall() {\n  throw new Error("boom");\n}\n`,
    );
    const off = s.file("~/.scorel/extensions/off.ts", extension("off"));
    const host = s.file(
      "~/.scorel/extensions/hosted.ts",
      'export default { id: "hosted", name: "Hosted", version: "1", scope: "host", cliCommands: () => [] };\n',
    );
    s.file(
      "~/.scorel/extensions/returns.ts",
      extension("returns", "activate: () => ({ tools: [], commands: () => ({}), hooks: { afterToolCall() {} } }),"),
    );
    s.file("~/.scorel/config.toml", 'without = ["off", "compaction"]\n');
    s.file(".scorel/extensions/theirs.ts", extension("theirs"));
    const rows = await list(s);
    const none = { provides: [], needs: [], hooks: [], taps: [], events: [], contributes: [] };
    const session = { scope: "session", of: "user", ...none };
    const loadMs = expect.any(Number);
    expect(rowOf(rows, "good")).toEqual({
      ...session,
      id: "good",
      origin: good,
      state: "loaded",
      loadMs,
      readMs: loadMs,
      startMs: loadMs,
      order: loadMs,
      provides: ["good"],
      needs: ["workspace"],
      hooks: ["afterToolCall", "beforeToolCall"],
      taps: [
        { hook: "afterToolCall", level: "normal", critical: false, limit: 30_000, order: loadMs },
        { hook: "beforeToolCall", level: "normal", critical: false, limit: 30_000, order: loadMs },
      ],
      events: ["good_event"],
      contributes: ["tools"],
    });
    expect(rowOf(rows, "bad")).toMatchObject({
      state: "broken",
      origin: bad,
      reason: expect.stringContaining(`${bad}:2`),
    });
    expect(rowOf(rows, "fails")).toMatchObject({
      state: "broken",
      origin: fails,
      reason: expect.stringContaining('"nobody"'),
    });
    expect(rowOf(rows, "throws")).toMatchObject({ state: "broken", origin: throws });
    expect(rowOf(rows, "throws").reason).toMatch(new RegExp(`^boom \\(${throws}:\\d+\\)$`));
    expect(rowOf(rows, "off")).toMatchObject({
      state: "off",
      origin: off,
      reason: expect.stringContaining("config.toml:1"),
    });
    expect(rowOf(rows, "hosted")).toMatchObject({
      state: "loaded",
      scope: "host",
      origin: host,
      contributes: ["cliCommands"],
    });
    expect(rowOf(rows, "returns")).toMatchObject({
      state: "loaded",
      hooks: ["afterToolCall", "beforeToolCall"],
      contributes: ["tools", "commands"],
    });
    expect(rowOf(rows, "returns").taps.map(({ hook }) => hook)).toEqual([
      "afterToolCall",
      "beforeToolCall",
      "afterToolCall",
    ]);
    expect(rowOf(rows, "theirs")).toMatchObject({ state: "untrusted", of: "project" });
    expect(rowOf(rows, "compaction")).toMatchObject({ state: "off", of: "shipped" });
    expect(rowOf(rows, "agent")).toMatchObject({ state: "loaded", of: "shipped", provides: ["agent"] });
    const started = ["host", "hosted", "agent", "permissions", "good"].map((id) => rowOf(rows, id).order);
    expect(started).toEqual([...started].sort((a = 0, b = 0) => a - b));
    expect(rowOf(rows, "permissions").taps[0]).toMatchObject({
      hook: "approveToolCall",
      level: "late",
      critical: true,
    });
  });

  it("saves no session, and prints one line for each plugin", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/good.ts", extension("good"));
    const { code, stdout } = await s.run(["plugin", "list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^good +session +loaded +\d+\.\d ms +user +\S+\/good\.ts\n {2}.*hooks: afterToolCall, beforeToolCall/m,
    );
    expect(() => s.logs()).toThrow("ENOENT");
  });

  it("says that an extension is loaded also while a host runs", async () => {
    using s = scratch();
    s.file("~/.scorel/extensions/good.ts", extension("good"));
    const alone = rowOf(await list(s), "good");
    const host = s.start(["host", "serve", "--foreground"]);
    await host.line((line) => line.startsWith("socket: "));
    const { state, hooks } = rowOf(await list(s), "good");
    expect({ state, hooks }).toEqual({ state: "loaded", hooks: alone.hooks });
    const { stdout } = await s.run(["doctor", "--output", "json"]);
    expect(stdout).not.toContain("PLUGIN_UNUSED");
  });
});

describe("an installed extension", () => {
  it("is listed with its version and source until it is removed", async () => {
    using s = scratch({ inProcess: true });
    const source = s.file("good/index.mjs", extension("good"));
    s.file("good/package.json", '{ "name": "good", "version": "1.2.0" }');
    expect(await s.run(["plugin", "add", "./good", "--yes"])).toMatchObject({ code: 0 });
    const listed = await s.run(["plugin", "list"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    const folder = join(s.home, ".scorel/packages/good");
    const lines = listed.stdout.split("\n");
    const at = lines.findIndex((line) => line.startsWith("good "));
    expect(lines.slice(at, at + 3)).toEqual([
      expect.stringMatching(/^good +session +loaded +\d+\.\d ms +user +\S+packages\/good\/index\.mjs$/),
      `  installed: 1.2.0 from ${dirname(source)}`,
      expect.stringContaining("hooks: afterToolCall, beforeToolCall"),
    ]);
    const rows = JSON.parse((await s.run(["plugin", "list", "--output", "json"])).stdout);
    expect(rowOf(rows, "good")).toMatchObject({
      id: "good",
      state: "loaded",
      installed: { version: "1.2.0", from: dirname(source) },
    });
    s.file("~/.scorel/packages/good/index.mjs", extension("changed"));
    const changed = await s.run(["plugin", "list"]);
    expect(changed.stdout + changed.stderr).toMatch(/good.*differs from what was installed/);
    expect(await s.run(["plugin", "remove", "good"])).toMatchObject({ code: 0 });
    expect((await s.run(["plugin", "list"])).stdout).not.toMatch(/^good /m);
    expect(existsSync(folder)).toBe(false);
  });
});

describe("scorel plugin check", () => {
  it("finds no problem in an example, and names the compiler that checked its types", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("decisions.ts", readFileSync(join(root, "docs/examples/decisions.ts"), "utf8"));
    const checked = await s.run(["plugin", "check", file, "--load"], { env: { PATH: withTsc } });
    expect(checked).toMatchObject({
      code: 0,
      stderr: `Running ${file} with your rights: no question about trust covers this path.\n`,
    });
    expect(checked.stdout).toBe(
      [
        "syntax: ok (of this file alone)",
        "manifest: ok (as far as it is written out)",
        `types: ok (by ${tsc})`,
        "load: ok (needs: agent; events: decision; contributes: tools)",
        "",
      ].join("\n"),
    );
  });

  it("names the line of a syntax error, and runs nothing", async () => {
    using s = scratch({ inProcess: true });
    const told = join(s.home, "ran");
    const file = s.file(
      "broken.ts",
      `require("node:fs").writeFileSync(${JSON.stringify(told)}, "");\nexport default {\n  id: = 1,\n};\n`,
    );
    const { code, stdout } = await s.run(["plugin", "check", file]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(new RegExp(`syntax: wrong.*\n  ${file}:3: `)),
    });
    expect(readdirSync(s.home)).not.toContain("ran");
  });

  it("finds missing manifest fields without running the extension", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("mine.ts", 'export default { id: "other", name: "Mine" };\n');
    const { code, stdout } = await s.run(["plugin", "check", file]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${file}: it names no "version"`);
    expect(stdout).toContain('its id is "other", but the file or folder is named "mine"');
  });

  it("says that types were not checked without a compiler", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("good.ts", extension("good"));
    const { code, stdout } = await s.run(["plugin", "check", file], { env: { PATH: withoutTsc } });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("types: not checked (no tsc on the PATH"),
    });
  });

  it("names the line of a type error", async () => {
    using s = scratch({ inProcess: true });
    const source =
      'import { definePlugin } from "@scorel/kernel";\nexport default definePlugin({\n  id: "mine",\n  name: 7,\n  version: "1.0.0",\n});\n';
    const file = s.file("mine.ts", source);
    const { code, stdout } = await s.run(["plugin", "check", file], { env: { PATH: withTsc } });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(`  ${file}:4: error TS2322`) });
  });

  it("--load runs it with an empty home and no keys, and names the line where it fails", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/secret.txt", "canary");
    const file = s.file(
      "spy.ts",
      `import { readdirSync } from "node:fs";
import { homedir } from "node:os";
export default {
  id: "spy", name: "Spy", version: "1.0.0",
  activate() {
    throw new Error(JSON.stringify({ home: readdirSync(homedir()), key: process.env.OPENAI_API_KEY ?? "none", cwd: readdirSync(".") }));
  },
};
`,
    );
    const env = { OPENAI_API_KEY: "sk-canary", PATH: withoutTsc };
    const { code, stdout } = await s.run(["plugin", "check", file, "--load"], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("load: wrong") });
    expect(stdout).toContain(`{"home":[".scorel"],"key":"none","cwd":[]} (${file}:6)`);
  });

  it("--load ends the process and leaves nothing when it is ended itself", async () => {
    using s = scratch();
    const temporary = join(s.home, "temporary");
    mkdirSync(temporary);
    const pidFile = join(s.home, "pid");
    const file = s.file(
      "~/.scorel/extensions/slow.mjs",
      `import { writeFileSync } from "node:fs";
       writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
       await new Promise((done) => setTimeout(done, 600_000));
       export default { id: "slow", name: "Slow", version: "1.0.0" };`,
    );
    const options = { env: { PATH: withoutTsc, TMPDIR: temporary } };
    const running = s.start(["plugin", "check", "--load", file], options);
    const pid = await eventually(() => {
      const found = readFileSync(pidFile, "utf8");
      expect(found).toMatch(/^\d+$/);
      return Number(found);
    });
    running.child.kill("SIGTERM");
    expect((await running.finished).code).toBe(143);
    await eventually(() => expect(isAlive(pid)).toBe(false));
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("--load names an event type and a projection that another plugin already has", async () => {
    using s = scratch({ inProcess: true });
    const check = async (field: string) => {
      const manifest = `{ id: "claims", name: "Claims", version: "1.0.0", ${field} }`;
      const file = s.file("claims.ts", `import { z } from "zod";\nexport default ${manifest};\n`);
      return (await s.run(["plugin", "check", file, "--load"], { env: { PATH: withoutTsc } })).stdout;
    };
    expect(await check("events: { usage_charged: { schema: z.object({}) } }")).toMatch(
      /load: wrong\n.*registers event "usage_charged", which plugin "agent" already registered\./s,
    );
    expect(await check('projections: { queue: { over: "log", init: () => [], update: (queue) => queue } }')).toMatch(
      /load: wrong\n.*registers the projection "queue", which plugin "agent" already registered\./s,
    );
  });

  it("--load reports contributions that a run would leave out", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file(
      "half.ts",
      `export default {
  id: "half", name: "Half", version: "1.0.0",
  activate: () => ({ tools: [{ name: "Half", description: "h", parameters: { type: "object" } }], commands: { x: 7 } }),
};
`,
    );
    const env = { PATH: withoutTsc };
    const { code, stdout } = await s.run(["plugin", "check", file, "--load"], { env });
    expect(code).toBe(1);
    expect(stdout).toContain('The tool "Half" of plugin "half" was skipped: it has no execute function.');
    expect(stdout).toContain("it is neither a function nor an object with one");
    const values = s.file(
      "values.ts",
      'export default { id: "values", name: "V", version: "1.0.0", activate: () => ({ tools: "abc", commands: 7 }) };\n',
    );
    expect((await s.run(["plugin", "check", values, "--load"], { env })).stdout).toMatch(
      /load: wrong\n(?=.*failed in commands: ).*of plugin "values" was skipped: it is not an object\./s,
    );
    const unloaded = await s.run(["plugin", "check", file], { env });
    expect(unloaded.stdout).toContain(`\nload: not checked (not run: scorel plugin check --load ${file})\n`);
  });

  it.each([
    ["session", "toolWrappers: () => ({ Bash: 'x' }),", 'the wrapper of tool "Bash" is not a function'],
    ["session", "commands: () => ({ a: { run() {}, sumary: 'x' } }),", 'has a field "sumary", which is not supported'],
    ["session", "cliCommands: () => [],", 'only plugins with scope: "host" are asked for it'],
    [
      "host",
      "cliCommands: () => [{ noun: 'a', runn() {} }],",
      'has a field "runn", which is not supported: did you mean "run"?',
    ],
    ["host", "operations: () => ({ 'mine.a': { params: 5 } }),", "mine.a"],
  ])("--load reports what is found only at the first use: scope %s, %s", async (scope, members, told) => {
    using s = scratch({ inProcess: true });
    s.file("mine.ts", `export default { id: "mine", name: "Mine", version: "1", scope: "${scope}", ${members} };\n`);
    const { code, stdout } = await s.run(["plugin", "check", "--load", "mine.ts"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining(told) });
  });

  it("--load takes the configuration that the extension needs", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file(
      "forecast.mjs",
      `import { z } from "zod";
export default {
  id: "forecast", name: "Forecast", version: "1.0.0",
  config: z.strictObject({ city: z.string(), days: z.array(z.number()), server: z.object({ port: z.number() }) }),
  activate(ctx) { if (ctx.config.city !== "New York") throw new Error("city " + ctx.config.city); },
};
`,
    );
    const env = { PATH: withoutTsc };
    const without = await s.run(["plugin", "check", file, "--load"], { env });
    expect(without).toMatchObject({ code: 1, stdout: expect.stringMatching(/load: wrong\n.*city: it is missing/s) });
    const config = ["--config", "city=New York", "--config", "days=[1, 2]", "--config", "server.port=80"];
    const checked = await s.run(["plugin", "check", file, "--load", ...config], { env });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining("load: ok") });
    expect(await s.run(["plugin", "check", file, ...config], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--config city=New York cannot be used: it needs --load."),
    });
    const wrong = await s.run(["plugin", "check", file, "--load", "--config", "city"], { env });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("it is not of the form key=value") });
  });

  it("--load runs nothing of a project that is not trusted", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file(".scorel/extensions/theirs.ts", extension("theirs"));
    const refused = await s.run(["plugin", "check", file, "--load"], { env: { PATH: withoutTsc } });
    expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("not trusted") });
    const trusted = await s.run(["--trust", "plugin", "check", file, "--load"], { env: { PATH: withoutTsc } });
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining("load: ok") });
  });

  it("--load includes the files that it imports", async () => {
    using s = scratch({ inProcess: true });
    s.file("lib/words.ts", 'export const title: string = "Mine";\n');
    const source =
      'import { title } from "./lib/words.ts";\nexport default { id: "mine", name: title, version: "1" };\n';
    const file = s.file("mine.ts", source);
    const { stdout } = await s.run(["plugin", "check", file, "--load"], { env: { PATH: withoutTsc } });
    expect(stdout).toContain("load: ok");
  });
});

describe("scorel plugin types", () => {
  it("lets a compiler check a folder of extensions without installing anything", async () => {
    using s = scratch({ inProcess: true });
    const folder = join(s.home, ".scorel/extensions");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    expect((await s.run(["plugin", "new", "begun", "--global"])).code).toBe(0);
    expect(await s.run(["plugin", "types", "--global"])).toMatchObject({ code: 0, stderr: "" });
    // Not earlier: an extension that replaces a built-in plugin has its id, and would be loaded under the name of its
    // folder.
    cpSync(join(root, "docs/examples"), folder, { recursive: true });
    expect(compile(folder)).toBe("");
    s.file("~/.scorel/extensions/bad.ts", extension("bad").replace("beforeToolCall", "beforeTolCall"));
    expect(compile(folder)).toMatch(/^bad\.ts\(\d+,\d+\): error TS\d+: .*beforeTolCall/);
  });

  it("overwrites its own file and no other", async () => {
    using s = scratch({ inProcess: true });
    expect((await s.run(["plugin", "types", "mine"])).code).toBe(0);
    expect((await s.run(["plugin", "types", "mine"])).code).toBe(0);
    const theirs = s.file("theirs/tsconfig.json", "{}\n");
    const { code, stderr } = await s.run(["plugin", "types", "theirs"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Add this to it: "extends"') });
    expect(readFileSync(theirs, "utf8")).toBe("{}\n");
  });
});

/** An extension with two hooks, a tool and an event. */
function extension(id: string, more = ""): string {
  return `import { definePlugin } from "@scorel/kernel";
import { z } from "zod";

export default definePlugin({
  id: "${id}",
  name: "Mine",
  version: "1.0.0",
  ${more}
  events: { ${id}_event: { schema: z.object({ text: z.string() }) } },
  tools: () => [],
  hooks: (ctx) => {
    ctx.hook("afterToolCall", () => undefined);
    return { beforeToolCall: () => undefined };
  },
});
`;
}

async function list(s: Scratch, ...flags: string[]): Promise<PluginRow[]> {
  const { stdout, stderr, code } = await s.run([...flags, "plugin", "list", "--output", "json"]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as PluginRow[];
}

function rowOf(rows: readonly PluginRow[], wanted: string): PluginRow {
  const found = rows.filter(({ id }) => id === wanted);
  expect(found).toHaveLength(1);
  return found[0] as PluginRow;
}

/** The errors that the compiler finds in a folder. */
function compile(folder: string): string {
  try {
    return execFileSync(tsc, ["--project", folder, "--pretty", "false"], { cwd: folder, encoding: "utf8" });
  } catch (failed) {
    return (failed as { stdout: string }).stdout;
  }
}

describe("a spelling mistake in an extension", () => {
  const slip = `export default {
  id: "mine",
  name: "Mine",
  version: "1.0.0",
  needs: [],
  tool: () => [],
  commands: () => ({ good: () => "good runs", bad: 5 }),
};
`;

  it("is an error in `plugin check`; in a command, too, when it is loaded", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("mine.ts", slip);
    expect(await s.run(["plugin", "check", "mine.ts"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        `manifest: wrong (as far as it is written out)\n  ${file}: line 6: "tool" is not a field of a plugin. Did you mean "tools"?\n`,
      ),
    });
    const { code, stdout } = await s.run(["plugin", "check", "mine.ts", "--load"]);
    expect(code).toBe(1);
    expect(stdout).toContain("load: wrong");
    expect(stdout).toContain('a field "tool", which is not supported: did you mean "tools"?');
    expect(stdout).toContain('The command "/bad" of plugin "mine" cannot be used');
  });

  it("is a warning when a session starts, and everything else works", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/mine.ts", slip);
    const { code, stdout, stderr } = await s.run(["chat", "--model", "offline/demo"], { input: "/good\n" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("good runs") });
    expect((stdout + stderr).split('did you mean "tools"?')).toHaveLength(2);
    expect(rowOf(await list(s), "mine")).toMatchObject({ state: "loaded", reason: expect.stringContaining("tools") });
  });

  it.each([
    [
      "a hook",
      'needs: ["agent"], hooks: () => ({ beforeToolcall: () => undefined })',
      'Did you mean "beforeToolCall"?',
    ],
    ["a need", 'needs: ["agnet"]', 'Did you mean "agent"?'],
    [
      "a need that a plugin has which is not used",
      'needs: ["artifacts"]',
      'Add "artifacts" to "use" in ~/.scorel/config.toml.',
    ],
  ])("in %s is reported with the intended word", async (_what, members, advice) => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/mine.ts", `export default { id: "mine", name: "Mine", version: "1", ${members} };\n`);
    const { stdout, stderr } = await s.run(["chat", "--preset", "readonly", "--model", "offline/demo"], { input: "" });
    expect(stdout + stderr).toContain(advice);
  });
});

describe("an extension that runs once per process and cannot start", () => {
  it.each([
    [
      "activate throws",
      'activate() { throw new Error("no socket"); }',
      /^scorel: warning: Plugin "mine" failed in start: no socket \(.*mine\.ts:1\)\n/,
    ],
    [
      "a need that sessions have",
      'needs: ["agent"]',
      /failed in start: .*needs the service "agent".*Sessions have it\. .*remove scope: "host"/,
    ],
    [
      "a hook that sessions have",
      "hooks: () => ({ approveToolCall: () => undefined })",
      /failed in start: .*the hook "approveToolCall".*Sessions have it\. .*remove scope: "host"/,
    ],
  ])("is reported on stderr by any command: %s", async (_what, members, told) => {
    using s = scratch({ inProcess: true });
    const head = 'id: "mine", name: "Mine", version: "1", scope: "host"';
    s.file("~/.scorel/extensions/mine.ts", `export default { ${head}, ${members} };\n`);
    const { code, stderr } = await s.run(["session", "list"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(told) });
    expect(rowOf(await list(s), "mine")).toMatchObject({ state: "broken", scope: "host" });
  });
});

it.each(["session", "host"])(
  "`config check` finds mistakes in the table of an extension with scope %s",
  async (scope) => {
    using s = scratch({ inProcess: true });
    const config = "z.strictObject({ words: z.number() })";
    const members = `id: "mine", name: "Mine", version: "1", scope: "${scope}", config: ${config}`;
    s.file("~/.scorel/extensions/mine.ts", `import { z } from "zod";\nexport default { ${members} };\n`);
    s.file("~/.scorel/config.toml", "[mine]\nwrods = 5\n");
    expect(await s.run(["config", "check"])).toMatchObject({ code: 2, stderr: expect.stringContaining("wrods") });
    s.file("~/.scorel/config.toml", "[mine]\nwords = 5\n");
    expect(await s.run(["config", "check"])).toMatchObject({ code: 0, stderr: "" });
  },
);
