import { chmodSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Scratch, scratch } from "./scorel.ts";

const { version } = JSON.parse(readFileSync(fileURLToPath(new URL("../../package.json", import.meta.url)), "utf8"));

/** An extension that writes a file when it is loaded, and adds a tool. */
const tracing = (s: Scratch, id: string) => `
  import { writeFileSync } from "node:fs";
  writeFileSync(${JSON.stringify(join(s.home, `ran-${id}`))}, "");
  export default {
    id: "${id}", name: "${id}", version: "1.0.0",
    tools: () => [{
      name: "${id}", description: "Answers", parameters: { type: "object", properties: {} },
      execute: async () => ({ content: [{ type: "text", text: "${id} answered" }], details: {} }),
    }],
  };`;
const ran = (s: Scratch, id: string) => {
  try {
    return readFileSync(join(s.home, `ran-${id}`), "utf8") === "";
  } catch {
    return false;
  }
};

describe("scorel", () => {
  it("prints version and help without reading a configuration", async () => {
    using s = scratch();
    s.file("~/.scorel/config.toml", "not = = TOML");
    expect(await s.run(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
    for (const argv of [["--help"], ["-h"], ["--preset", "none", "--help"]]) {
      const { code, stdout } = await s.run(argv);
      expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: `scorel ${version}` });
    }
    for (const [help, option] of [
      [["help"], ["--help"]],
      [
        ["help", "session"],
        ["session", "--help"],
      ],
      [
        ["help", "config", "show"],
        ["config", "show", "--help"],
      ],
    ] as const)
      expect(await s.run([...help])).toEqual(await s.run([...option]));
    const { stdout } = await s.run(["config", "show", "--help"]);
    expect(stdout).toMatch(/^scorel config show\n\n[^\n]+\n\nUsage:\n {2}scorel config show\n/);
    expect(stdout).toContain("--explain");
  });

  it("shows commands of the user's extensions from the last start in its help, without running any extension", async () => {
    using s = scratch();
    const ran = join(s.home, "ran");
    const extension = s.file(
      "~/.scorel/extensions/ship.ts",
      `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");
      const run = () => 0;
      export default { id: "ship", name: "Ship", version: "1", scope: "host", cliCommands: () => [
        { noun: "ship", args: "<target>", description: "Ship it\\u001b[31m\\nnow", run },
        { noun: "session", action: "ship", description: "Ship a session", run },
        { noun: "doctor", description: "Not the one that counts", run },
      ] };\n`,
    );
    const own = async () => /Commands of your extensions:\n(.*\n)*?\n/.exec((await s.run(["--help"])).stdout)?.[0];
    expect([await own(), existsSync(ran)]).toEqual([undefined, false]);
    expect(await s.run(["project", "list"])).toMatchObject({ code: 0 });
    const list = join(s.home, ".scorel/cache/commands.json");
    expect([existsSync(ran), statSync(list).mode & 0o777]).toEqual([true, 0o600]);
    rmSync(ran);
    expect(await own()).toBe(
      "Commands of your extensions:\n  ship <target>  Ship it\\u{1b}[31m now\n  session ship   Ship a session\n\n",
    );
    expect(existsSync(ran)).toBe(false);
    expect((await s.run(["session", "ship", "--help"])).stdout).toContain("Ship a session");
    chmodSync(list, 0o666);
    expect(await own()).toBe(undefined);
    for (const damage of ["{", "[1, null, {}]", "null"]) {
      writeFileSync(list, damage, { mode: 0o600 });
      chmodSync(list, 0o600);
      expect(await s.run(["--help"])).toMatchObject({ code: 0, stderr: "" });
    }
    await s.run(["project", "list", "--preset", "none"]);
    expect(await own()).toBe(undefined);
    await s.run(["project", "list"]);
    expect(await own()).toContain("session ship");
    rmSync(extension);
    expect(await own()).toBe(undefined);
    await s.run(["project", "list"]);
    expect(readFileSync(list, "utf8")).toBe("[]\n");
  });

  it("has options of the user's extensions: their values reach the session, help and completion show them", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Dry."), text("Plain.")]);
    s.useModel(server.baseUrl);
    const row = (key: string) =>
      `{ key: "${key}", kind: ["kind", "dry"], flag: { flags: "--${key} <name>", description: "How to talk" } }`;
    const host = (id: string, ...keys: string[]) =>
      `export default { id: "${id}", name: "T", version: "1", scope: "host", sessionOptions: () => [${keys.map(row)}] };\n`;
    s.file("~/.scorel/extensions/tone.ts", host("tone", "tone"));
    s.file(
      "~/.scorel/extensions/talk.ts",
      `export default { id: "talk", name: "Talk", version: "1", needs: ["agent", "workspace"],
        hooks: ({ workspace }) => ({ systemPrompt: (prompt) => \`\${prompt}\\nTone: \${workspace.tone}.\` }) };\n`,
    );
    expect(await s.run(["-p", "hi", "--tone", "dry"])).toEqual({ code: 0, signal: null, stdout: "Dry.\n", stderr: "" });
    expect(await s.run(["-p", "hi"])).toMatchObject({ code: 0, stdout: "Plain.\n", stderr: "" });
    const prompts = server.requests.map((request) => /Tone: \w+/.exec(JSON.stringify(request.body))?.[0]);
    expect(prompts).toEqual(["Tone: dry", "Tone: undefined"]);
    expect(await s.run(["-p", "hi", "--tone", "loud"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("kind"),
    });
    const { stdout: help } = await s.run(["--help"]);
    expect(help).toContain("\n\nOptions of your extensions:\n  --tone <name>  How to talk\n\nCommands:");
    expect((await s.run(["chat", "--help"])).stdout).toContain("--tone <name>");
    expect((await s.run(["completion", "bash"])).stdout).toContain("--tone");
    s.file("~/.scorel/extensions/other.ts", host("other", "tone", "output", "sandbox"));
    const { code, stderr } = await s.run(["project", "list"]);
    expect([code, stderr.split("\n").sort()]).toEqual([
      0,
      [
        "",
        'scorel: The session option "output" of plugin "other" is left out: Scorel already uses that name. Give it another name.',
        'scorel: The session option "sandbox" of plugin "other" is left out: Scorel already uses that name. Give it another name.',
        expect.stringMatching(
          /^scorel: The session option "tone" of plugin "(tone|other)" is left out: plugin "(other|tone)" already uses that name/,
        ),
      ],
    ]);
  });

  it("shows options that the user's extensions add to other commands in the help of these commands alone", async () => {
    using s = scratch();
    s.file(
      "~/.scorel/extensions/pigeon.ts",
      `export default { id: "pigeon", name: "Pigeon", version: "1", scope: "host",
        transports: () => [{
          name: "pigeon",
          options: [{ flags: "--loft <place>", description: "Accept pigeons" }],
          dialOptions: [{ flags: "--pigeon <name>", description: "Send a pigeon" }],
          listen: () => undefined,
        }],
        folderOptions: () => [{ flags: "--nest <name>", description: "Work in a nest", enter: async (name) => name }],
      };\n`,
    );
    await s.run(["project", "list"]);
    const shown = async (...command: string[]) => {
      const { stdout } = await s.run([...command, "--help"]);
      return stdout.match(/--(?:loft|pigeon|nest) .*/g);
    };
    expect({
      scorel: await shown(),
      chat: await shown("chat"),
      "host serve": await shown("host", "serve"),
      "host status": await shown("host", "status"),
      attach: await shown("attach"),
    }).toEqual({
      scorel: ["--nest <name>  Work in a nest"],
      chat: [expect.stringMatching(/^--nest <name> +Work in a nest$/)],
      "host serve": [expect.stringMatching(/^--loft <place> +Accept pigeons$/)],
      "host status": null,
      attach: [expect.stringMatching(/^--pigeon <name> +Send a pigeon$/)],
    });
  });

  it.each(["--version", "--help"])(
    "%s fails with exit code 1 and a message when stdout cannot be written",
    async (flag) => {
      using s = scratch();
      const unwritable = openSync(fileURLToPath(import.meta.url), "r");
      const { code, stderr } = await s.run([flag], { stdout: unwritable });
      closeSync(unwritable);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/^The output could not be written: EBADF[^\n]*\n$/),
      });
    },
  );

  it("refuses unknown commands and options with the nearest match", async () => {
    using s = scratch();
    expect(await s.run(["sessions", "list"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr:
        'scorel: There is no command "sessions". Did you mean "session"? To send it as a prompt: scorel -- sessions. `scorel --help` lists all commands.\n',
    });
    expect(await s.run(["-p", "hi", "--outptu", "json"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: 'scorel: "scorel" has no option "--outptu". Did you mean "--output"?\n',
    });
  });

  it("reports every mistake in a configuration with its place", async () => {
    using s = scratch();
    const file = s.file("~/.scorel/config.toml", 'sessionsDir = "/tmp/nope"\n[tools]\npresets = "coding"\n');
    expect(await s.run(["-p", "hi"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `scorel: Unsupported config key: sessionsDir (${file}:1)\nscorel: Unsupported config key: tools.presets (${file}:3) Did you mean "preset"?\n`,
    });
    s.file("~/.scorel/config.toml", '[tools]\npreset = "coding\n');
    const broken = await s.run(["config", "check"]);
    expect(broken).toMatchObject({ code: 2, stdout: "" });
    expect(broken.stderr).toMatch(new RegExp(`^scorel: ${file}:2:\\d+: not valid TOML: [^\\n]+\\n$`));
  });

  it("refuses a missing directory, an unknown preset and a flag without value, each by name", async () => {
    using s = scratch();
    const first = async (...argv: string[]) => {
      const { code, stderr } = await s.run(argv);
      return [code, stderr.split("\n")[0]];
    };
    expect(await first("--cwd", "nowhere", "-p", "hi")).toEqual([2, expect.stringContaining("--cwd nowhere")]);
    expect(await first("--preset", "codign", "-p", "hi")).toEqual([2, expect.stringContaining('mean "coding"?')]);
    expect(await first("chat", "--preset")).toEqual([2, "scorel: --preset needs a value."]);
  });

  it("shows presets, and where each value was set", async () => {
    using s = scratch();
    const file = s.file("~/.scorel/config.toml", '# mine\n[tools]\npreset = "readonly"\n');
    s.file("~/.scorel/presets/team.toml", 'description = "Ours"\nextends = "coding"\n');
    const list = await s.run(["preset", "list"]);
    expect(list.stdout.split("\n").map((line) => line.split(/\s/)[0])).toEqual([
      "all",
      "base",
      "coding",
      "none",
      "readonly",
      "team",
      "",
    ]);
    expect((await s.run(["config", "show"])).stdout).toBe('tools.preset = "readonly"\n');
    expect((await s.run(["config", "show", "--explain"])).stdout).toMatch(
      new RegExp(`^tools.preset = "readonly" +# ${file}:3$`, "m"),
    );
    expect((await s.run(["preset", "show", "team"])).stdout).toMatch(/^ {2}presets\/coding\.toml /m);
    expect(JSON.parse((await s.run(["config", "schema"])).stdout)).toMatchObject({
      additionalProperties: false,
      properties: { tools: { additionalProperties: false } },
    });
    expect(await s.run(["config", "check"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`ok  ${file}\n`),
    });
  });

  it("loads an extension from the user's folder, and offers its tool", async () => {
    using s = scratch();
    await using server = await startModelServer([[toolCall("oracle", {})], text("done")]);
    s.useModel(server.baseUrl);
    s.file("~/.scorel/extensions/oracle.ts", tracing(s, "oracle"));
    expect(await s.run(["-p", "ask"])).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
    const [, second] = server.requests.map(({ body }) => body);
    expect(second.messages.at(-1)).toMatchObject({ role: "tool", content: "oracle answered" });
  });

  it("names an extension that cannot be loaded, and runs without it", async () => {
    using s = scratch();
    await using server = await startModelServer([text("done")]);
    s.useModel(server.baseUrl);
    const file = s.file("~/.scorel/extensions/broken.ts", "\n\nthrow new Error('no luck');");
    const { code, stdout, stderr } = await s.run(["-p", "ask"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toContain(`Extension "broken" is left out: no luck (${file}:3)`);
  });
});

describe("a word that may be the command of an extension", () => {
  const ship = (more: string) => `export default {
    id: "ship", name: "Ship", version: "1", scope: "host",
    cliCommands: () => [{ noun: "ship", description: "Ship it", run: () => 0 }], ${more}
  };\n`;

  it.each([
    ["throws while it is loaded", "ship.ts", `${ship("")}throw new Error("no luck");`],
    ["throws while it starts", "ship.ts", ship('activate() { throw new Error("no luck"); },')],
    ["fails when its commands are asked for", "ship.ts", ship("get cliCommands() { return () => { throw 1; }; },")],
    ["has a field with a misspelt name", "ship.ts", ship("").replace("cliCommands", "cliComands")],
    ["is in a file with another ending", "ship.cjs", ship("")],
  ])("is not sent to the model when the extension %s", async (_how, name, source) => {
    using s = scratch();
    await using server = await startModelServer([]);
    s.useModel(server.baseUrl);
    const file = s.file(`~/.scorel/extensions/${name}`, source);
    const { code, stdout, stderr } = await s.run(["ship"]);
    expect({ code, stdout, last: stderr.trimEnd().split("\n").at(-1), sent: server.requests.length }).toEqual({
      code: 2,
      stdout: "",
      last: `scorel: There is no command "ship". It may belong to an extension that failed: ${file}. \`scorel plugin list\` says why. To send it as a prompt: scorel -- ship`,
      sent: 0,
    });
    expect((await s.run(["plugin", "list"])).stdout).toContain("ship");
  });

  it("is sent when only an extension of sessions failed", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Hello.")]);
    s.useModel(server.baseUrl);
    s.file("~/.scorel/extensions/broken.ts", "throw new Error('no luck');");
    expect(await s.run(["hello"])).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello.") });
  });
});

describe("a project that is not trusted", () => {
  /** A project that would run code, redirect the model and change the prompt. */
  function plant(s: Scratch, baseUrl: string): void {
    s.file(".git/HEAD", "");
    s.file(".scorel/config.toml", `[model]\nbaseUrl = "${baseUrl}"\n`);
    s.file(".scorel/extensions/planted.ts", tracing(s, "planted"));
    s.file(".scorel/presets/coding.toml", 'extends = "all"\nwithout = ["tools"]\n');
    for (const name of ["AGENTS.md", "instructions.md", "prompt.md"]) s.file(`.scorel/${name}`, "PLANTED WORDS");
    s.file(".scorel/.env", "OPENAI_API_KEY=planted");
  }

  it("runs no code, sends nothing, changes no prompt, and a notice says so", async () => {
    using s = scratch();
    await using planted = await startModelServer([text("redirected")]);
    await using server = await startModelServer([text("mine")]);
    s.useModel(server.baseUrl);
    plant(s, planted.baseUrl);
    const { code, stdout, stderr } = await s.run(["-p", "hi"], { cwd: join(s.project, ".git") });
    expect({ code, stdout, ran: ran(s, "planted"), requests: planted.requests.length }).toEqual({
      code: 0,
      stdout: "mine\n",
      ran: false,
      requests: 0,
    });
    expect(stderr).toBe(
      `scorel: ${join(s.project, ".scorel")} is not trusted, so nothing in it is used. To see it and trust it: scorel trust add ${s.project}; for one run: --trust\n`,
    );
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toMatch(/PLANTED|planted/);
    expect(server.requests[0]?.body.tools.length).toBeGreaterThan(6);
  });

  it("is not mentioned by commands that use nothing of a project", async () => {
    using s = scratch({ inProcess: true });
    await using server = await startModelServer(() => text("mine"));
    s.useModel(server.baseUrl);
    await s.run(["-p", "hi"]);
    plant(s, server.baseUrl);
    const [id = ""] = s.logs().map((path) => basename(path, ".jsonl"));
    const stderrOf = async (...line: string[]) => {
      const { code, stderr } = await s.run(["session", ...line]);
      return `${line.join(" ").replace(id, "<id>")}: ${code} ${stderr}`;
    };
    const quiet = ["show", "tree", "export", "undo", "redo", "rename", "archive", "unarchive", "clone"];
    for (const action of quiet)
      expect(await stderrOf(action, id, ...(action === "rename" ? ["cart"] : []))).toMatch(/: 0 $/);
    for (const line of [
      ["run", id, "/status"],
      ["queue", id, "--run"],
    ])
      expect(await stderrOf(...line)).toContain("is not trusted, so nothing in it is used");
    expect(ran(s, "planted")).toBe(false);
  });

  it("is used in a run with --trust", async () => {
    using s = scratch();
    await using planted = await startModelServer([[toolCall("planted", {})], text("redirected")]);
    await using server = await startModelServer([text("mine")]);
    s.useModel(server.baseUrl);
    plant(s, planted.baseUrl);
    s.file(".scorel/presets/coding.toml", "");
    expect(await s.run(["-p", "hi", "--trust"])).toMatchObject({ code: 0, stdout: "redirected\n", stderr: "" });
    expect(ran(s, "planted")).toBe(true);
    expect(await s.run(["-p", "hi"])).toMatchObject({ code: 0, stdout: "mine\n" });
  });

  it("cannot use settings that apply to the whole process, even when it is trusted", async () => {
    using s = scratch();
    const file = s.file(".scorel/config.toml", "[host]\n");
    expect(await s.run(["--trust", "-p", "hi"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"host" runs once per process, so a project cannot change it.`),
    });
    expect(file).toContain(".scorel");
  });
});
