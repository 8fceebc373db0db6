import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import type { Finding, HealthReport } from "@scorel/doctor/contract";
import { describe, expect, it } from "vitest";
import { OLDEST_NODE } from "../../plugins/doctor/programs.ts";
import { root } from "../docs/source.ts";
import { type SmallDisk, smallFileSystem } from "../fault/disk.ts";
import { startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { type RunOptions, type Scratch, scratch } from "./scorel.ts";

/** Runs `scorel doctor`; returns the report and the exit code. */
async function examine(s: Scratch, args: readonly string[] = [], options: RunOptions = {}) {
  const { code, stdout, stderr } = await s.run(["doctor", "--json", "--offline", ...args], options);
  expect(stderr).toBe("");
  return { code, ...(JSON.parse(stdout) as HealthReport) };
}

function found(report: Pick<HealthReport, "findings">, code: string): Finding {
  const all = report.findings.filter((finding) => finding.code === code);
  expect(all.map((finding) => finding.code)).toEqual([code]);
  return all[0] as Finding;
}

const broken = ({ findings }: HealthReport) =>
  findings.filter(({ severity }) => severity === "error").map(({ code }) => code);

const extension = (id: string, more = "") =>
  `export default { id: "${id}", name: "${id}", version: "1.0.0", ${more} };\n`;

describe("scorel doctor in a healthy home", () => {
  it("finds no problem, and lists plugins, hook layers, options and programs", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    await s.run(["-p", "Hello."]);
    chmodSync(join(s.home, ".scorel"), 0o700);
    const report = await examine(s);
    expect([report.code, broken(report), report.version, report.cwd]).toEqual([0, [], 1, s.project]);
    const order = (report.plugins ?? []).filter((row) => row.order !== undefined);
    expect(order.map((row) => row.id)).toEqual(expect.arrayContaining(["host", "model", "agent", "permissions"]));
    expect(order.every(({ readMs, startMs }) => readMs !== undefined && startMs !== undefined)).toBe(true);
    expect(report.plugins?.find(({ id }) => id === "agent")).toMatchObject({
      origin: "presets/base.toml:6",
      needs: ["model", "mergeMessage"],
      provides: ["agent"],
    });
    const approving = report.hooks?.find(({ hook }) => hook === "approveToolCall");
    expect(approving?.layers.at(-1)).toEqual({ plugin: "permissions", level: "late", critical: true, limit: 30_000 });
    const context = report.hooks?.find(({ hook }) => hook === "transformContext")?.layers.map(({ level }) => level);
    expect(context).toEqual([...(context ?? [])].sort((a, b) => (a === b ? 0 : a === "early" ? -1 : 1)));
    expect(report.config?.settings).toContainEqual({
      path: "model.id",
      value: "scripted-model",
      about: "the model's id at the server",
      origin: `${join(s.home, ".scorel/config.toml")}:5`,
    });
    expect(report.programs).toMatchObject([
      { name: "node", version: process.versions.node, path: process.execPath },
      { name: "git", version: expect.stringMatching(/^\d+\./) },
      { name: "ripgrep", version: expect.stringMatching(/^\d+\./) },
    ]);
    expect(report.sessions).toMatchObject({ total: 1, latest: [{ damage: [], bridged: 0 }] });
    expect(report.space?.used.sessions).toBeGreaterThan(500);
    expect(report.model).toMatchObject({ model: "scripted/scripted-model", credential: "no key", steps: [] });
    for (const { what, doNext, severity } of report.findings)
      expect([what, severity === "ok" || doNext !== "" || severity === "note"]).toEqual([expect.any(String), true]);
  });

  it("prints within 80 columns, without colour, with the findings at the end", async () => {
    using s = scratch({ inProcess: true });
    const { code, stdout, stderr } = await s.run(["doctor", "--offline"], { cwd: s.home });
    expect([code, stderr]).toEqual([0, ""]);
    const long = stdout.split("\n").filter((line) => line.length > 80 && /\s\S*\s+\S/.test(line.trim()));
    expect(long).toEqual([]);
    expect(stdout).not.toContain(String.fromCharCode(27));
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^(\d+ (error|warning|note)s?(, )?)+\.$/);
    expect(stdout).toMatch(/^ {2}WARNING {2}MODEL_NONE: No model is configured\.\n {11}-> scorel login/m);
  });

  it("creates no folder and no session", async () => {
    using s = scratch({ inProcess: true });
    await examine(s, [], { env: { SCOREL_NOTHING: "" } });
    expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
  });

  it("checks for the oldest Node version that package.json allows", () => {
    const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(`${engines.node}.0`).toBe(`>=${OLDEST_NODE}`);
  });
});

describe("scorel doctor in a broken environment", () => {
  it("names the line of a syntax error in config.toml, and the settings that apply without it", async () => {
    using s = scratch({ inProcess: true });
    const path = s.file("~/.scorel/config.toml", '[model]\nid = "a\n');
    const report = await examine(s);
    expect([report.code, broken(report)]).toEqual([1, ["CONFIG_TOML"]]);
    expect(found(report, "CONFIG_TOML")).toMatchObject({
      where: `${path}:2`,
      doNext: `Correct ${path}:2, or move the file away.`,
    });
    expect(report.config?.files).toEqual(["presets/base.toml", "presets/coding.toml"]);
  });

  it("reports every mistake in the configuration", async () => {
    using s = scratch({ inProcess: true });
    const path = s.file("~/.scorel/config.toml", 'sessionsDir = "/x"\n[tools]\npreset = 3\n');
    const report = await examine(s);
    expect([report.code, new Set(broken(report))]).toEqual([1, new Set(["CONFIG_INVALID"])]);
    expect(
      report.findings
        .filter(({ severity }) => severity === "error")
        .map(({ where }) => where)
        .sort(),
    ).toEqual([`${path}:1`, `${path}:3`]);
  });

  it("reports an unknown preset", async () => {
    using s = scratch({ inProcess: true });
    const report = await examine(s, ["--preset", "codign"]);
    expect([report.code, broken(report)]).toEqual([1, ["CONFIG_PRESET_UNKNOWN"]]);
    expect(found(report, "CONFIG_PRESET_UNKNOWN").what).toContain('Did you mean "coding"?');
    expect(report.config?.files).toContain("presets/coding.toml");
  });

  it("runs when plugins that commands need are switched off, including itself", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", 'without = ["cli", "doctor", "host"]\n');
    const report = await examine(s);
    expect(report.code).toBe(1);
    expect(found(report, "PLUGINS_FAILED").what).toContain('"host"');
  });

  it("names extensions that cannot be loaded, that throw, and that never return", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/syntax.ts", 'export default {\n  id: "syntax" oops\n};\n');
    s.file("~/.scorel/extensions/thrower.ts", extension("thrower", 'activate() { throw new Error("boom"); }'));
    const report = await examine(s);
    const wrong = report.findings.filter(({ code }) => code === "PLUGIN_BROKEN");
    expect([report.code, wrong.map(({ where }) => where.split("/").at(-1))]).toEqual([1, ["syntax.ts", "thrower.ts"]]);
    expect(wrong[0]?.what).toMatch(/^Extension "syntax" is left out: (?!.*is left out)/);
    expect(wrong[1]).toMatchObject({
      what: expect.stringContaining("boom"),
      doNext: expect.stringMatching(/plugin check --load \S+\/thrower\.ts` .*without = \["thrower"\]/),
    });
    s.file("~/.scorel/extensions/endless.ts", extension("endless", "activate() { for (;;); }"));
    const stuck = await examine(s);
    expect([stuck.code, broken(stuck)]).toEqual([1, ["PLUGINS_LATE"]]);
    expect(found(stuck, "PLUGINS_LATE").what).toMatch(/plugin endless blocks the process.*endless\.ts:1/);
    expect(found(stuck, "PLUGINS_LATE").doNext).toMatch(/^Correct \S+\/endless\.ts, or move it away\. Then run/);
  });

  it("ends although an extension blocks every process that loads it", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/extensions/endless.ts", `for (;;);\n${extension("endless", "")}`);
    const stuck = await examine(s, [], { ownProcess: true });
    expect([stuck.code, broken(stuck)]).toEqual([1, ["PLUGINS_LATE"]]);
  });

  it("reports a missing home directory", async () => {
    using s = scratch({ inProcess: true });
    const report = await examine(s, [], { env: { HOME: "nowhere" } });
    expect([report.code, broken(report)]).toEqual([1, ["CONFIG_HOME"]]);
    expect(found(report, "CONFIG_HOME").doNext).toBe("Set HOME to the full path of a directory that you own.");
  });

  itWith("linux", "ends in a home in which nobody can make a folder, as other commands do", async () => {
    using s = scratch();
    const env = { HOME: "/proc", OPENAI_API_KEY: "secret" };
    const report = await examine(s, [], { env });
    expect(found(report, "PLUGINS").severity).toBe("ok");
    const { code, stderr } = await s.run(["-p", "Hello."], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain("Sessions are stored in /proc/.scorel, which cannot be used: ENOENT");
  });

  it("reports a home that is not a folder, and a file where a folder should be", async () => {
    using s = scratch({ inProcess: true });
    const file = s.file("~/file", "");
    const inFile = await examine(s, [], { env: { HOME: file } });
    expect([inFile.code, broken(inFile)]).toEqual([1, expect.arrayContaining(["FOLDER_UNREADABLE"])]);
    s.file("~/.scorel", "");
    const report = await examine(s);
    expect(report.code).toBe(1);
    expect(found(report, "FOLDER_NONE").doNext).toBe(
      `rm ${join(s.home, ".scorel")} && mkdir -m 700 ${join(s.home, ".scorel")}`,
    );
  });

  it("runs in a directory that was deleted", async () => {
    using s = scratch({ inProcess: true });
    const through = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh"];
    const report = await examine(s, [], { through });
    expect([report.code, found(report, "DIRECTORY_GONE").severity]).toEqual([0, "warning"]);
  });

  itWith("mounts", "runs on a full disk, and reports it", async () => {
    using disk = smallFileSystem(2_000) as SmallDisk;
    using s = scratch({ inProcess: true });
    disk.fill?.();
    const report = await examine(s, [], { env: { HOME: disk.directory } });
    expect([report.code, broken(report)]).toEqual([1, ["DISK_FULL"]]);
  });

  it("reports a damaged list of trusted projects", async () => {
    using s = scratch({ inProcess: true });
    s.file(".scorel/config.toml", "");
    const path = s.file("~/.scorel/trust.json", "{");
    const report = await examine(s);
    expect([report.code, new Set(broken(report))]).toEqual([1, new Set(["TRUST_FILE"])]);
    expect(report.findings[0]?.what).toContain(path);
  });

  it("reports that stored keys cannot be read, without showing them", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/auth.json", '{"keys":{"openai":"sk-secret-0123456789"');
    const { code, stdout } = await s.run(["doctor", "--json", "--offline"]);
    expect([code, stdout.includes("sk-secret")]).toEqual([1, false]);
    expect(found(JSON.parse(stdout), "MODEL_AUTH_FILE")).toMatchObject({ severity: "error" });
  });
});

describe("scorel doctor finds", () => {
  it("unknown tables, switched-off extensions, and unset variables", async () => {
    using s = scratch({ inProcess: true });
    const path = s.file(
      "~/.scorel/config.toml",
      [
        'without = ["mine", "nobody"]',
        "[model]",
        'type = "builtin"',
        'provider = "openai"',
        'id = "gpt-5.4-mini"',
        'apiKeyEnv = "TEAM_KEY"',
        "[mine]",
        "a = 1",
        "[coding]",
        "[checkpoints]",
        "",
      ].join("\n"),
    );
    s.file("~/.scorel/extensions/mine.ts", extension("mine"));
    const report = await examine(s, ["--preset", "none"]);
    const about = report.findings
      .filter(({ code }) => code.startsWith("CONFIG_"))
      .map(({ code, where }) => [code, where]);
    expect(about).toEqual(
      expect.arrayContaining([
        ["CONFIG_VARIABLE_UNSET", `${path}:6`],
        ["CONFIG_NO_EFFECT", `${path}:7`],
        ["CONFIG_NO_EFFECT", `${path}:1`],
      ]),
    );
    expect(found(report, "CONFIG_VARIABLE_UNSET")).toMatchObject({
      severity: "error",
      what: expect.stringContaining("TEAM_KEY"),
    });
    s.file("~/.scorel/config.toml", "[channels]\n");
    const early = await examine(s);
    expect(found(early, "CONFIG_NO_EFFECT")).toMatchObject({
      severity: "note",
      where: path.concat(":1"),
      doNext: "Remove it, until a version of Scorel has that plugin.",
    });
    s.file("~/.scorel/config.toml", '[tools]\npreset = "readonly"\n');
    const unused = await examine(s, ["--preset", "none"]);
    expect(found(unused, "CONFIG_TABLE_UNUSED")).toMatchObject({
      severity: "warning",
      where: expect.stringMatching(/config\.toml:2$/),
    });
  });

  it("folders that other users can read or write, and links, with the command that fixes each", async () => {
    using s = scratch({ inProcess: true });
    const own = join(s.home, ".scorel");
    for (const folder of ["extensions", "sessions"]) mkdirSync(join(own, folder), { recursive: true });
    chmodSync(own, 0o755);
    chmodSync(join(own, "extensions"), 0o775);
    s.file("~/.scorel/auth.json", '{"version":1,"keys":{}}');
    chmodSync(join(own, "auth.json"), 0o644);
    mkdirSync(join(s.home, "elsewhere"));
    symlinkSync(join(s.home, "elsewhere"), join(own, "cache"));
    const report = await examine(s);
    const mended = report.findings
      .filter(({ code }) => code.startsWith("FOLDER_"))
      .map(({ code, doNext }) => [code, doNext]);
    expect(mended.sort()).toEqual([
      ["FOLDER_LINK", `rm ${own}/cache && mv ${s.home}/elsewhere ${own}/cache`],
      ["FOLDER_READABLE", `chmod 600 ${own}/auth.json`],
      ["FOLDER_READABLE", `chmod 700 ${own}`],
      ["FOLDER_WRITABLE", `chmod go-w ${own}/extensions`],
    ]);
    expect(report.code).toBe(1);
    expect(report.folders).toContainEqual({ path: join(own, "extensions"), mode: "rwxrwxr-x" });
  });

  it("damaged logs, incomplete records that were moved away, and files that a killed process left", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("Hello."), text("Again.")]);
    s.useModel(server.baseUrl);
    await s.run(["-p", "Hello."]);
    await s.run(["-p", "Again."]);
    const [first = "", second = ""] = s.logs();
    writeFileSync(first, readFileSync(first, "utf8").replace('"role":"user"', '"role":"xxxx"'));
    writeFileSync(first.replace(".jsonl", ".torn-1"), "half");
    writeFileSync(
      second.replace(".jsonl", ".lock"),
      JSON.stringify({ pid: 2 ** 30, since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001" }),
    );
    const report = await examine(s);
    expect([report.code, broken(report)]).toEqual([1, ["SESSION_DAMAGED"]]);
    expect(found(report, "SESSION_DAMAGED")).toMatchObject({
      where: first,
      doNext: expect.stringContaining("scorel session verify"),
    });
    expect(found(report, "SESSION_TORN_ASIDE").where).toBe(first.replace(".jsonl", ".torn-1"));
    expect(found(report, "SESSION_LOCK_STALE").where).toBe(second.replace(".jsonl", ".lock"));
  });

  it("sessions in use, replies that ended early, and a damaged index", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    await s.run(["-p", "Hello."]);
    const [log = ""] = s.logs();
    const beside = (ending: string) => log.replace(".jsonl", ending);
    writeFileSync(beside(".index"), "no index");
    writeFileSync(beside(".partial"), "{}\n");
    const left = await examine(s);
    expect(found(left, "SESSION_LEFTOVER")).toMatchObject({ severity: "note", where: beside(".partial") });
    expect(found(left, "SESSION_INDEX")).toMatchObject({ severity: "note", where: beside(".index") });
    const holdAs = (pid: number) =>
      writeFileSync(
        beside(".lock"),
        JSON.stringify({ pid, since: "2026-01-01T00:00:00.000Z", nonce: "nonce000000000001" }),
      );
    holdAs(process.ppid);
    const held = await examine(s);
    expect(found(held, "SESSION_IN_USE")).toMatchObject({
      severity: "ok",
      what: `Process ${process.ppid} has session ${basename(log, ".jsonl")} open.`,
    });
    // The examination runs in this process.
    holdAs(process.pid);
    const own = await examine(s);
    for (const { code, findings } of [held, own])
      expect([code, findings.some((finding) => finding.code === "SESSION_LEFTOVER")]).toEqual([0, false]);
    expect(own.findings.some(({ code }) => code === "SESSION_IN_USE")).toBe(false);
  });

  itWith("setpriv", "a home that it cannot read", async () => {
    using s = scratch({ inProcess: true });
    s.file("~/.scorel/config.toml", "");
    for (const folder of [join(s.home, ".."), s.home, s.project]) chmodSync(folder, 0o755);
    chmodSync(join(s.home, ".scorel"), 0o700);
    const through = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const report = await examine(s, [], { through });
    expect([report.code, broken(report)]).toEqual([1, ["FOLDER_UNREADABLE", "HOST_HOME", "CONFIG_UNREADABLE"]]);
    expect(found(report, "FOLDER_UNREADABLE").doNext).toBe(`sudo chown -R "$(id -un)" ${join(s.home, ".scorel")}`);
  });

  it("an installed preset whose files have changed", async () => {
    using s = scratch({ inProcess: true });
    s.file("team/preset.toml", 'description = "The team"\nextends = "coding"\n');
    expect(await s.run(["preset", "add", "./team", "--yes"])).toMatchObject({ code: 0 });
    const sound = await examine(s);
    expect([sound.code, sound.presets?.map(({ name, state }) => [name, state])]).toEqual([0, [["team", "installed"]]]);
    s.file("~/.scorel/presets/team/preset.toml", 'extends = "coding"\n');
    const report = await examine(s);
    expect([report.code, found(report, "PRESET_CHANGED").doNext]).toEqual([
      1,
      expect.stringContaining("scorel preset diff team"),
    ]);
  });

  it("an extension that is held back", async () => {
    using s = scratch({ inProcess: true });
    const path = s.file("~/.scorel/extensions/own.ts", extension("own"));
    const calls = [{ type: "toolCall", id: "a", name: "Bash", arguments: {} }];
    const line = (ts: number, message: object) => `${JSON.stringify({ type: "message", id: `e${ts}`, ts, message })}\n`;
    const now = Date.now();
    s.file(
      "~/.scorel/sessions/session000000001.jsonl",
      line(now - 5_000, { role: "assistant", content: calls }) +
        line(now + 5_000, { role: "tool_result", toolCallId: "a", content: [] }),
    );
    const report = await examine(s);
    expect(found(report, "EXTENSION_HELD")).toMatchObject({ severity: "warning", where: path });
  });

  it("what a project requires, also in a run that trusts it", async () => {
    using s = scratch();
    s.file(".scorel/config.toml", '[requires]\nscorel = ">=99"\n');
    const { findings } = JSON.parse((await s.run(["doctor", "--json", "--offline", "--trust"])).stdout) as HealthReport;
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([
      {
        code: "CONFIG_REQUIRES",
        severity: "error",
        what: expect.stringMatching(
          /requires Scorel >=99, and this is .*\. Install a matching version: .*config\.toml:2\)$/,
        ),
        where: "",
        doNext: "",
      },
    ]);
  });

  it("an untrusted project, and what it contains", async () => {
    using s = scratch({ inProcess: true });
    s.file(".scorel/extensions/theirs.ts", extension("theirs"));
    const report = await examine(s);
    expect(found(report, "TRUST_NOT_GIVEN")).toMatchObject({
      severity: "note",
      doNext: `scorel trust add ${s.project}`,
    });
    expect(found(report, "PLUGIN_UNTRUSTED").what).toContain('"theirs"');
    expect(report.code).toBe(0);
  });

  it("a git program that is missing or fails", async () => {
    using s = scratch({ inProcess: true });
    const bin = join(s.home, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    expect(found(await examine(s, [], { env: { PATH: bin } }), "GIT_MISSING")).toMatchObject({
      severity: "warning",
      doNext: "Install git.",
    });
    writeFileSync(join(bin, "git"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    expect(found(await examine(s, [], { env: { PATH: bin } }), "GIT_BROKEN").what).toContain("it ended with 3");
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.20.1\n", { mode: 0o755 });
    expect(found(await examine(s, [], { env: { PATH: bin } }), "GIT_OLD").what).toContain("git 2.20.1");
  });
});

describe("the model's server", () => {
  it("is contacted without the key, and the report names the step that failed", async () => {
    using s = scratch({ inProcess: true });
    const heard: string[] = [];
    const server = createServer(({ headers }, response) => {
      heard.push(JSON.stringify(headers));
      response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    s.useModel(`http://127.0.0.1:${port}/v1`, 'apiKeyEnv = "TEAM_KEY"\n');
    const env = { TEAM_KEY: "key-0123456789" };
    const there = await s.run(["doctor", "--json"], { env });
    expect(found(JSON.parse(there.stdout), "MODEL")).toMatchObject({ severity: "ok", where: `127.0.0.1:${port}` });
    const offline = await examine(s, [], { env });
    expect(found(offline, "MODEL_NOT_ASKED").where).toBe(`127.0.0.1:${port}`);
    expect([heard.length, heard.join().includes("key-0123456789")]).toEqual([1, false]);
    await new Promise((done) => server.close(done));
    const gone = await s.run(["doctor", "--json"], { env });
    expect(gone.code).toBe(1);
    expect(found(JSON.parse(gone.stdout), "MODEL_UNREACHED")).toMatchObject({
      severity: "error",
      what: "scripted/scripted-model cannot be reached: connecting failed (ECONNREFUSED).",
    });
  });
});

describe("secrets", () => {
  it("appear in no output, wherever they are stored and whatever prints them", async () => {
    using s = scratch({ inProcess: true });
    const keys = ["env-key-0123456789", "header-0123456789", "auth-key-0123456789", "proxy-pass-0123456789"];
    s.useModel("http://127.0.0.1:9/v1", `apiKeyEnv = "TEAM_NAME"\nheaders = { Authorization = "Bearer ${keys[1]}" }\n`);
    s.file("~/.scorel/auth.json", JSON.stringify({ version: 1, keys: { openai: keys[2] } }));
    const source = `import { readFileSync } from "node:fs";
const all = [process.env.TEAM_NAME, readFileSync(process.env.HOME + "/.scorel/auth.json", "utf8"), readFileSync(process.env.HOME + "/.scorel/config.toml", "utf8"), process.env.HTTPS_PROXY];
throw new Error(all.join(" ").replaceAll("\\n", " "));
`;
    s.file("~/.scorel/extensions/loud.ts", source);
    const env = { TEAM_NAME: keys[0] as string, HTTPS_PROXY: `http://ann:${keys[3]}@127.0.0.1:9` };
    for (const args of [["doctor"], ["doctor", "--json"], ["doctor", "--verbose"]]) {
      const { stdout, stderr } = await s.run(args, { env });
      expect(stdout).toContain("[redacted]");
      expect(keys.filter((key) => `${stdout}${stderr}`.includes(key))).toEqual([]);
    }
  });
});

describe("scorel doctor --selftest", () => {
  it("runs a turn with a tool in a temporary home, verifies the log, and leaves no files", async () => {
    using s = scratch({ inProcess: true });
    const TMPDIR = join(s.home, "tmp");
    mkdirSync(TMPDIR);
    const report = await examine(s, ["--selftest"], { env: { TMPDIR, OPENAI_API_KEY: "sk-0123456789" } });
    expect(report.selftest).toMatchObject({
      passed: true,
      steps: expect.arrayContaining([{ did: "verified the log", ms: expect.any(Number) }]),
    });
    expect([report.code, readdirSync(TMPDIR).filter((name) => name.startsWith("scorel-selftest"))]).toEqual([0, []]);
    expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
  });

  it("reports what failed, and leaves no files", async () => {
    using s = scratch({ inProcess: true });
    const report = await examine(s, ["--selftest"], { env: { TMPDIR: join(s.home, "nowhere") } });
    expect([report.code, broken(report)]).toEqual([1, ["SELFTEST_FAILED"]]);
    expect(found(report, "SELFTEST_FAILED").what).toContain("ENOENT");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("leaves no files after %s", async (signal) => {
    using s = scratch({ inProcess: true });
    const TMPDIR = join(s.home, "tmp");
    mkdirSync(TMPDIR);
    const { child, finished } = s.start(["doctor", "--selftest", "--offline"], { env: { TMPDIR } });
    await appears(TMPDIR);
    child.kill(signal);
    const { code, stdout } = await finished;
    expect([code, stdout]).toEqual([signal === "SIGINT" ? 130 : 143, ""]);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});

/** Resolves when the self-test has created its folder. */
async function appears(folder: string): Promise<void> {
  const { watch } = await import("node:fs/promises");
  const over = new AbortController();
  for await (const { filename } of watch(folder, { signal: over.signal }))
    if (filename?.startsWith("scorel-selftest")) return;
}
