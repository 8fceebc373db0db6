import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding, HealthReport } from "@scorel/doctor/contract";
import type { ClientScope } from "@scorel/host/contract";
import { definePlugin, type Kernel } from "@scorel/kernel";
import { modelPlugin } from "@scorel/model";
import modelsPlugin from "@scorel/models";
import sandboxPlugin from "@scorel/sandbox";
import { describe, expect, it, vi } from "vitest";
import type { CheckContext } from "../../plugins/doctor/check-context.ts";
import { checkFolders } from "../../plugins/doctor/folders.ts";
import { checkModel } from "../../plugins/doctor/model.ts";
import { operations } from "../../plugins/doctor/operations.ts";
import { checkOtherAgents } from "../../plugins/doctor/other-agents.ts";
import { run } from "../../plugins/doctor/process.ts";
import { isOlder } from "../../plugins/doctor/programs.ts";
import { checkSandbox } from "../../plugins/doctor/sandbox.ts";
import { createScrub } from "../../plugins/doctor/scrub.ts";
import { checkSpace } from "../../plugins/doctor/space.ts";
import { reportText } from "../../plugins/doctor/text.ts";
import { readOnlyView, type SmallDisk, smallFileSystem } from "../fault/disk.ts";
import { testKernel } from "../harness.ts";
import { itWith } from "../optional.ts";
import { fc, seed } from "../property.ts";
import { echoAgent, testHome, testHost } from "./host/home.ts";

function folder(): Disposable & { path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "scorel-doctor-")));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const empty: HealthReport = {
  version: 1,
  scorel: "1.0.0",
  system: "linux x64",
  cwd: "/work",
  at: "2026-01-01T00:00:00.000Z",
  ms: 1_234,
  programs: [],
  folders: [],
  findings: [],
};
const finding = (more: Partial<Finding>): Finding => ({
  code: "CODE",
  severity: "note",
  what: "",
  where: "",
  doNext: "",
  ...more,
});

describe("settings of another agent", () => {
  it("are reported if their rules or hooks do not hold here", () => {
    using at = folder();
    const write = (name: string, text: string) => writeFileSync(join(at.path, ".claude", name), text);
    mkdirSync(join(at.path, ".claude"));
    write(
      "settings.json",
      JSON.stringify({ permissions: { deny: ["Read(a)", "Read(b)"], ask: ["Bash"] }, hooks: { Stop: [] } }),
    );
    write("settings.local.json", JSON.stringify({ permissions: { allow: ["Bash(ls:*)"], deny: [] }, model: "opus" }));
    expect(checkOtherAgents({ cwd: at.path }).findings).toEqual([
      {
        code: "OTHER_AGENT_SETTINGS",
        severity: "warning",
        what: "Claude Code has 3 rules of deny or ask and 1 kind of hook here, which do not hold in Scorel.",
        where: join(at.path, ".claude/settings.json"),
        doNext: expect.stringContaining("[permissions]"),
      },
    ]);
    write("settings.json", "{");
    expect(checkOtherAgents({ cwd: at.path })).toEqual({ findings: [] });
  });
});

describe("versions", () => {
  it.each([
    ["20.18.9", "20.19.0", true],
    ["20.19.0", "20.19.0", false],
    ["20.19", "20.19.0", false],
    ["22.1.0", "20.19.0", false],
    ["2.9.5", "2.35.2", true],
    ["3.0", "2.35.2", false],
  ])("%s is older than %s: %s", (version, than, older) => expect(isOlder(version, than)).toBe(older));
});

describe("a child program", () => {
  const how = { cwd: "/", env: {}, limit: 5_000, signal: new AbortController().signal };
  const node = (source: string, more: object = {}) => run([process.execPath, "-e", source], { ...how, ...more });

  it("runs to its end", async () => {
    expect(await node("console.log(1); console.error(2); process.exit(3)")).toEqual({
      code: 3,
      stdout: "1\n",
      stderr: "2\n",
      late: false,
    });
  });

  it("is stopped when it takes too long, or reports that it cannot succeed", async () => {
    expect(await node("setInterval(() => {}, 1000)", { limit: 300 })).toMatchObject({ late: true });
    const began = performance.now();
    const said = await node("console.error('no hope'); setInterval(() => {}, 1000)", {
      isHopeless: (text: string) => text.includes("no hope"),
    });
    expect([said.late, said.stderr, performance.now() - began < 4_000]).toEqual([true, "no hope\n", true]);
  });

  it("may be missing", async () => {
    expect(await run(["/nowhere/git", "--version"], how)).toMatchObject({ late: false, reason: "ENOENT" });
  });
});

describe("secrets", () => {
  it(`are removed from every text of a report (seed ${seed})`, () => {
    const secret = fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(..."abcXYZ019+/=._-$^()[]") });
    fc.assert(
      fc.property(secret, fc.string(), (value, around) => {
        const scrub = createScrub({ SOME_KEY: value }, undefined);
        const told = scrub({ list: [{ text: `${around}${value}${around}` }] });
        expect(told.list[0]?.text.includes(value)).toBe(false);
      }),
    );
  });

  it("are found in malformed files", () => {
    using home = folder();
    writeFileSync(
      join(home.path, "auth.json"),
      '{"keys": {"openai": "sk-0123456789", "subscriptions": {"a": {"refresh": "refresh-0123',
    );
    writeFileSync(
      join(home.path, "config.toml"),
      "[model\nheaders = { X-Api-Key = 'header-0123456789' }\nproxy = \"http://a:pass-0123456789@h\"\nbaseUrl = 'http://a/v1?b=query%2B0123456789&c'\n",
    );
    const scrub = createScrub({}, home.path);
    expect(scrub("sk-0123456789 header-0123456789 pass-0123456789 query%2B0123456789 query+0123456789")).toBe(
      "[redacted] [redacted] [redacted] [redacted] [redacted]",
    );
  });

  it("are found in every notation of a text, also in the wrong one", () => {
    using home = folder();
    const lines = [
      `a_token = "it's-0123456789"`,
      'b_token = "say-\\"0123456789\\""',
      "c_token = 'it's-wrong-0123456789'",
      'd_token = "open-0123456789',
      'e_token = """\nfirst-0123456789\nsecond-0123456789"""',
    ];
    writeFileSync(join(home.path, "config.toml"), `${lines.join("\n")}\n`);
    const scrub = createScrub({}, home.path);
    expect(lines.slice(0, 4).map(scrub)).toEqual([
      'a_token = "[redacted]"',
      'b_token = "[redacted]"',
      "c_token = '[redacted]'",
      'd_token = "[redacted]',
    ]);
    expect(['say-"0123456789"', "second-0123456789"].map(scrub)).toEqual(["[redacted]", "[redacted]"]);
  });

  it("are found in any variable that a config layer names", () => {
    expect(createScrub({ TEAM: "plum-0123456789" }, undefined, ["TEAM"])("plum-0123456789")).toBe("[redacted]");
  });

  it("may look like names", () => {
    const scrub = createScrub(
      { AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE", HOOK_TOKEN: "https://h.example/T0/B0/x" },
      undefined,
    );
    expect(scrub("AKIAIOSFODNN7EXAMPLE https://h.example/T0/B0/x")).toBe("[redacted] [redacted]");
  });

  it("are not names of variables, files or short words", () => {
    using home = folder();
    writeFileSync(join(home.path, "config.toml"), 'apiKeyEnv = "TEAM_MODEL_KEY"\n');
    writeFileSync(join(home.path, "auth.json"), '{"subscriptions":{"a":{"baseUrl":"https://api.example"}}}');
    const env = { SSH_AUTH_SOCK: home.path, KEY_MODE: "short", API_KEY_NAME: "TEAM_MODEL_KEY", TEAM_KEY_2: "KEY_MODE" };
    const text = [...Object.values(env), "https://api.example"].join(" ");
    expect(createScrub(env, home.path)(text)).toBe(text);
  });
});

describe("the user's folder", () => {
  it("is repaired by commands that are quoted for the shell", () => {
    using root = folder();
    const home = join(root.path, "it's mine", ".scorel");
    mkdirSync(join(root.path, "it's mine"));
    mkdirSync(join(root.path, "real"));
    symlinkSync(join(root.path, "real"), home);
    const quoted = `'${join(root.path, "it'\\''s mine", ".scorel")}'`;
    expect(checkFolders({ home }).findings).toMatchObject([
      { code: "FOLDER_LINK", severity: "error", doNext: `rm ${quoted} && mv ${join(root.path, "real")} ${quoted}` },
    ]);
  });

  it.each([
    ["contents of files", "blobs/00"],
    ["sessions", "sessions"],
    ["cached files", "cache"],
  ])("is examined where it matters, however many %s are stored in it", (_what, many) => {
    using root = folder();
    const home = join(root.path, ".scorel");
    for (const path of [many, "extensions/a"]) mkdirSync(join(home, path), { recursive: true, mode: 0o700 });
    for (let at = 0; at < 3_100; at++) writeFileSync(join(home, many, String(at)), "", { mode: 0o600 });
    const all = "Only you can read and change your folder and the 3000 files in it that were examined.";
    expect(checkFolders({ home }).findings).toMatchObject([{ code: "FOLDERS", what: all }]);
    for (const path of ["trust.json", "extensions/a/index.ts"]) {
      writeFileSync(join(home, path), "");
      chmodSync(join(home, path), 0o622);
    }
    expect(checkFolders({ home }).findings).toMatchObject([
      { code: "FOLDER_WRITABLE", severity: "error", where: join(home, "trust.json") },
      { code: "FOLDER_WRITABLE", severity: "error", where: join(home, "extensions/a/index.ts") },
    ]);
  });

  itWith("mounts", "is reported when it cannot be written", () => {
    using root = folder();
    const home = join(root.path, "home", ".scorel");
    mkdirSync(home, { recursive: true, mode: 0o700 });
    using _view = readOnlyView(join(root.path, "home"));
    const doNext = "Mount that disk for writing, or set HOME to another directory.";
    const wrong = { code: "FOLDER_READ_ONLY", severity: "error", what: expect.stringContaining("EROFS") };
    expect(checkFolders({ home }).findings).toEqual([{ ...wrong, where: home, doNext }]);
    const other = join(root.path, "home", "other", ".scorel");
    expect(checkFolders({ home: other }).findings).toEqual([
      { ...wrong, where: other, doNext: "Set HOME to a directory that you own." },
    ]);
  });

  it("may be missing, and is not created", () => {
    using root = folder();
    const home = join(root.path, ".scorel");
    expect(checkFolders({ home })).toMatchObject({
      folders: [],
      findings: [{ code: "FOLDER_NEW", severity: "note" }],
    });
    expect(checkFolders({ home: undefined })).toEqual({ folders: [], findings: [] });
  });
});

describe("disk space", () => {
  it("is reported, with what uses it", () => {
    using root = folder();
    const home = join(root.path, ".scorel");
    mkdirSync(join(home, "trash"), { recursive: true });
    writeFileSync(join(home, "trash/a.jsonl"), "x".repeat(1_000));
    const { space } = checkSpace({ home });
    expect(space).toEqual({ free: expect.any(Number), used: { sessions: 0, trash: 1_000, blobs: 0, cache: 0 } });
  });

  itWith("linux", "is unknown on a file system that has no blocks, and purging the trash is not advised", () => {
    const { findings } = checkSpace({ home: "/proc/scorel" });
    expect(findings.map(({ code, doNext }) => [code, doNext])).toEqual([["DISK_UNKNOWN", ""]]);
  });

  itWith("mounts", "is a warning when low", () => {
    using disk = smallFileSystem(20_000) as SmallDisk;
    const codes = () =>
      checkSpace({ home: join(disk.directory, ".scorel") }).findings.map(({ code, severity }) => [code, severity]);
    expect(codes()).toEqual([["DISK_LOW", "warning"]]);
    disk.fill?.();
    expect(codes()).toEqual([["DISK_FULL", "error"]]);
  });
});

describe("the text of a report", () => {
  it(`fits in 80 columns, except for longer words, and contains everything (seed ${seed})`, () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom(..."abc/:=\"'") }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(words, (list) => {
        const text = reportText({
          ...empty,
          findings: [finding({ what: list.join(" "), where: "/etc/x:3", doNext: list.join(" ") })],
        });
        const lines = text.split("\n");
        expect(lines.filter((line) => line.length > 80 && line.trim().split(/\s+/).length > 1)).toEqual([]);
        expect(text.split(/\s+/).join(" ")).toContain(`CODE: ${list.join(" ")} /etc/x:3 -> ${list.join(" ")}`);
      }),
    );
  });

  it("writes the home as ~, except where a shell would not expand it", () => {
    const what = "/home/ann/.scorel and /home/annie, mv '/home/ann/my dir'";
    const text = reportText({ ...empty, findings: [finding({ what })] }, "/home/ann");
    expect(text).toContain("~/.scorel and /home/annie, mv '/home/ann/my dir'");
  });

  it("ends with the number of findings", () => {
    expect(reportText(empty).trimEnd().split("\n").at(-1)).toBe("Nothing is wrong.");
    const findings = [finding({ severity: "error" }), finding({}), finding({}), finding({ severity: "ok" })];
    expect(
      reportText({ ...empty, findings })
        .trimEnd()
        .split("\n")
        .at(-1),
    ).toBe("1 error, 2 notes.");
  });
});

describe("the model", () => {
  it("may run on this machine, and its setup is explained", async () => {
    const answer = JSON.stringify({ models: [{ name: "llama3", digest: "d" }] });
    const server = createServer((_request, response) => response.end(answer));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    const plugin = modelPlugin([{ provider: "ollama", name: "Ollama", port, path: "/api/tags" }]);
    let kernel: Kernel | undefined;
    const sessionPlugins = async () => ({ entries: [{ plugin, origin: "test" }], problems: [] });
    const composition = { sessionPlugins, kernel: () => kernel as Kernel };
    using home = folder();
    const before = { ...process.env };
    for (const name of Object.keys(process.env)) if (/_(KEY|TOKEN)$/.test(name)) delete process.env[name];
    process.env.HOME = home.path;
    try {
      await using t = await testKernel([modelsPlugin], { services: { composition } });
      kernel = t.kernel;
      const context = { models: t.kernel.find("models"), options: {}, cwd: "/" } as unknown as CheckContext;
      const { findings, local } = await checkModel(context);
      expect(findings).toEqual([
        finding({
          code: "MODEL_NONE",
          severity: "warning",
          what: "No model is configured.",
          doNext: "Use what runs here: scorel --model ollama/llama3",
        }),
        finding({
          code: "MODEL_LOCAL",
          what: "Ollama on this machine has llama3.",
          where: `http://127.0.0.1:${port}/v1`,
          doNext: "To use one: scorel --model ollama/llama3",
        }),
      ]);
      expect(local).toHaveLength(1);
      const offline = await checkModel({ ...context, options: { offline: true } });
      expect([offline.local, offline.findings.map(({ code }) => code)]).toEqual([undefined, ["MODEL_NONE"]]);
    } finally {
      Object.assign(process.env, before);
      await new Promise((done) => server.close(done));
    }
  });
});

describe("the sandbox", () => {
  /** Runs a check with a PATH that contains only these programs. */
  async function looked(
    settings: { path: string; value: string; origin: string }[],
    programs: Record<string, string> = {},
    plugins = ["sandbox"],
  ) {
    using place = folder();
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(place.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const config = async () => ({ settings, plugins: plugins.map((id) => ({ id })) });
    const table = Object.fromEntries(settings.map(({ path, value }) => [path.replace("sandbox.", ""), value]));
    await using host = await testKernel([]);
    const composition = {
      kernel: () => host.kernel,
      sessionPlugins: async (_cwd: string, { only }: { only: string }) => ({
        entries: plugins.includes(only) ? [{ plugin: sandboxPlugin, config: table, origin: "test" }] : [],
      }),
    };
    vi.stubEnv("PATH", place.path);
    try {
      return await checkSandbox({ cwd: place.path, composition, layers: { config } } as unknown as CheckContext);
    } finally {
      vi.unstubAllEnvs();
    }
  }
  const set = (key: string, value: string) => ({ path: `sandbox.${key}`, value, origin: "~/.scorel/config.toml:3" });
  const engine = 'case "$1" in info) echo "[]";; esac; exit 0';

  it("that works is named, with the reason why others do not", async () => {
    expect(await looked([{ path: "sandbox.executor", value: "auto", origin: "default" }], { bwrap: "exit 0" })).toEqual(
      {
        sandbox: {
          chosen: "bubblewrap",
          executors: [
            { executor: "bubblewrap" },
            { executor: "docker", problem: "docker is not on the PATH" },
            { executor: "podman", problem: "podman is not on the PATH" },
          ],
        },
        findings: [finding({ code: "SANDBOX", severity: "ok", what: "Programs of skills run in bubblewrap." })],
      },
    );
    const { sandbox } = await looked([set("image", "tools")], { bwrap: "exit 1", podman: engine });
    expect(sandbox?.chosen).toBe("podman");
  });

  it("that is missing comes with what to install", async () => {
    const { sandbox, findings } = await looked([], { docker: engine });
    expect([sandbox?.chosen, findings]).toEqual([
      undefined,
      [
        finding({
          code: "SANDBOX_NONE",
          severity: "warning",
          what: "No sandbox works, so programs of skills are not run:\nbubblewrap: bwrap is not on the PATH\ndocker: [sandbox] image is not set\npodman: podman is not on the PATH",
          doNext: "Install bubblewrap: apt install bubblewrap, or dnf install bubblewrap",
        }),
      ],
    ]);
    const refused = { bwrap: "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1" };
    expect((await looked([], refused)).findings[0]?.doNext).toContain("kernel.unprivileged_userns_clone");
    const chosen = await looked([set("executor", "docker")], { bwrap: "exit 0" });
    expect(chosen.findings[0]).toMatchObject({
      what: "No sandbox works, so programs of skills are not run:\ndocker: docker is not on the PATH",
      where: "~/.scorel/config.toml:3",
      doNext: expect.stringContaining("[sandbox] image"),
    });
  });

  it("that is switched off is a note, and a preset without one is not checked", async () => {
    expect((await looked([set("executor", "local")])).findings).toMatchObject([
      { code: "SANDBOX_LOCAL", severity: "note", where: "~/.scorel/config.toml:3" },
    ]);
    expect(await looked([], {}, ["agent"])).toEqual({ findings: [] });
  });

  it("is reported with the chosen one", () => {
    const executors = [{ executor: "bubblewrap" }, { executor: "docker", problem: "docker is not on the PATH" }];
    expect(reportText({ ...empty, sandbox: { chosen: "bubblewrap", executors } })).toContain(
      "Sandbox for programs of skills:\n  -> bubblewrap  works\n     docker      docker is not on the PATH\n",
    );
  });
});

it("is not for clients with limits, since it starts programs and tells about all sessions", async () => {
  using home = testHome();
  const neverExamined = () => {
    throw new Error("The host was examined.");
  };
  const doctor = definePlugin({
    ...{ id: "doctor", name: "Doctor", version: "1.0.0", scope: "host" },
    operations: () => operations(neverExamined),
  });
  await using t = await testHost([echoAgent], [], [doctor]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const scopes: ClientScope[] = [{ sessions: [sessionId] }, { operations: "read" }, { operations: ["check_health"] }];
  const codes = scopes.map((scope) =>
    t.host
      .connect({ scope })
      .request("check_health", { sessionId })
      .catch((error: { code: string }) => error.code),
  );
  expect(await Promise.all(codes)).toEqual(["HOST_FORBIDDEN", "HOST_FORBIDDEN", "HOST_FORBIDDEN"]);
});
