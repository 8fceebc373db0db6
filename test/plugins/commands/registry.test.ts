import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type {} from "@scorel/commands/contract";
import { definePlugin, type PluginContext } from "@scorel/kernel";
import projects from "@scorel/projects";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseArguments, usageOf } from "../../../plugins/commands/arguments.ts";
import { fc } from "../../property.ts";
import { ask, echoAgent, testHome, testHost } from "../host/home.ts";

const plugin = (commands: object | ((ctx: PluginContext) => object)) =>
  definePlugin({
    id: "mine",
    name: "Mine",
    version: "1.0.0",
    commands: (ctx) => (typeof commands === "function" ? commands(ctx) : commands),
  });

async function opened(commands: Parameters<typeof plugin>[0], home = testHome()) {
  const t = await testHost([echoAgent, plugin(commands)]);
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  return {
    t,
    home,
    sessionId,
    run: (name: string, args = "") => t.client.request("run_command", { sessionId, name, args }),
    complete: (line: string) => t.client.request("complete_command", { sessionId, line }),
    listed: async () => (await t.client.request("list_commands", { sessionId })).commands,
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

describe("a slash command of a plugin", () => {
  it("cannot replace a command that guards something", async () => {
    const t = await testHost([
      echoAgent,
      definePlugin({
        ...{ id: "mine", name: "Mine", version: "1.0.0", replaces: ["logout", "status"] },
        commands: () => ({ logout: () => "mine", status: () => "mine" }),
      }),
    ]);
    await using _ = t;
    using home = testHome();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const { commands } = await t.client.request("list_commands", { sessionId });
    const owners = Object.fromEntries(commands.map(({ name, plugin }) => [name, plugin]));
    expect([owners.logout, owners.status]).toEqual(["commands", "mine"]);
    const { notices } = await t.client.request("get_status", { sessionId });
    expect(notices.map(({ message }) => message).join()).toContain('cannot replace "/logout"');
  });

  it("has a name of a key that does not exist: it is used without that key, and a notice names the plugin and the modifiers", async () => {
    await using s = await opened({
      fly: { keys: ["hyper+q", "alt+w"], run: () => "flew" },
      sit: { keys: "x", run: () => "" },
    });
    await s.listed();
    const { notices } = await s.t.client.request("get_status", { sessionId: s.sessionId });
    expect(notices.map(({ code, message }) => [code, message])).toEqual([
      [
        "COMMAND_KEY",
        'Plugin "mine" failed in commands: A key of the command "/fly" of plugin "mine" is left out: "hyper+q" is not a key; write keys like "ctrl+r", "alt+enter", "shift+tab" or "f2", with the modifiers ctrl, alt, shift, super.',
      ],
      [
        "COMMAND_KEY",
        'Plugin "mine" failed in commands: A key of the command "/sit" of plugin "mine" is left out: "x" types a character, which could then not be written; add ctrl or alt, as in "alt+x".',
      ],
    ]);
    expect(await s.run("fly")).toEqual({ output: "flew" });
  });

  it("runs under its name, and returns a text, a result or nothing", async () => {
    await using s = await opened({
      shout: { description: "Say it loud", run: (args: string) => args.toUpperCase() },
      seed: { handler: async (args: string, { clientId }: { clientId: string }) => `${args} from ${clientId}` },
      typed: { run: () => ({ output: "two", data: 2 }) },
      quiet: { run: () => {} },
    });
    const run = (name: string) => s.run(name, "hi");
    expect([await run("shout"), await run("seed"), await run("typed"), await run("quiet")]).toEqual([
      { output: "HI" },
      { output: "hi from tester" },
      { output: "two", data: 2 },
      {},
    ]);
    expect((await s.listed()).filter(({ plugin }) => plugin === "mine")).toEqual([
      { name: "quiet", description: "", usage: "/quiet", plugin: "mine", group: "Other" },
      { name: "seed", description: "", usage: "/seed", plugin: "mine", group: "Other" },
      { name: "shout", description: "Say it loud", usage: "/shout", plugin: "mine", group: "Other" },
      { name: "typed", description: "", usage: "/typed", plugin: "mine", group: "Other" },
    ]);
  });

  it("gets arguments parsed by its schema, or prints its usage", async () => {
    await using s = await opened({
      plant: {
        summary: "Plant a tree",
        args: z.object({
          kind: z.enum(["oak", "elm"]),
          count: z.coerce.number().int().optional(),
          deep: z.boolean().optional(),
        }),
        run: (given: unknown) => ({ data: given }),
      },
    });
    expect(await s.run("plant", "oak 3 --deep")).toEqual({ data: { kind: "oak", count: 3, deep: true } });
    expect(await s.run("plant", "--count=2 elm")).toEqual({ data: { kind: "elm", count: 2 } });
    const usage = "Usage: /plant <oak|elm> [count] [--deep]";
    await expect(s.run("plant", "")).rejects.toMatchObject({
      code: "COMMAND_ARGUMENTS",
      message: `/plant: kind is missing. ${usage}`,
    });
    await expect(s.run("plant", "fir")).rejects.toMatchObject({
      message: expect.stringMatching(/^\/plant: kind: .*"oak"/),
    });
    await expect(s.run("plant", "oak --count")).rejects.toMatchObject({
      message: `/plant: --count needs a value. ${usage}`,
    });
  });

  it("says what its schema refuses about several arguments, or a part of one", async () => {
    const list = z.preprocess((text) => String(text).split(","), z.array(z.enum(["oak", "elm"])));
    await using s = await opened({
      span: {
        args: z
          .object({ from: z.string(), to: z.string() })
          .refine(({ from, to }) => from < to, { error: "from must come before to" }),
        run: () => "done",
      },
      plant: { args: z.object({ kinds: list }), run: () => "done" },
    });
    await expect(s.run("span", "b a")).rejects.toMatchObject({
      message: "/span: from must come before to. Usage: /span <from> <to>",
    });
    await expect(s.run("plant", "oak,fir")).rejects.toMatchObject({
      message: expect.stringMatching(/^\/plant: kinds: .*"oak"/),
    });
  });

  it("repeats only the beginning of what was typed in an error, on one line", async () => {
    await using s = await opened({});
    await expect(s.run("status", `a\u001b[31m\n${"b".repeat(100_000)}`)).rejects.toThrow(
      `/status: "a ${"b".repeat(53)}…" is too much. Usage: /status`,
    );
    await expect(s.run(`a${"b".repeat(100_000)}`)).rejects.toThrow(`There is no command "/a${"b".repeat(59)}…".`);
  });

  it("that is unknown suggests commands with similar names", async () => {
    await using s = await opened({});
    await expect(s.run("reqind")).rejects.toMatchObject({
      code: "COMMAND_UNKNOWN",
      message: expect.stringMatching(/^There is no command "\/reqind"\. Did you mean .*\/re/),
    });
  });

  it("that is unknown suggests commands with its name as a part, as of a skill, rather than similar ones", async () => {
    const names = ["retry", "code-review", "ci:deploy", "deploy-all", "skill:deploy", "undeploy"];
    await using s = await opened(Object.fromEntries(names.map((name) => [name, () => ""])));
    await expect(s.run("review")).rejects.toMatchObject({
      message: 'There is no command "/review". Did you mean /code-review?',
    });
    await expect(s.run("deploy")).rejects.toMatchObject({
      message: 'There is no command "/deploy". Did you mean /ci:deploy or /skill:deploy or /deploy-all?',
    });
  });

  it.each([
    ["agents", /To work with subagents, .* use = \["subagents"\]/],
    ["agents", /files in \.scorel\/agents or \.claude\/agents\.$/],
    ["usage", /: scorel usage$/],
    ["fork", /: \/branch\. .*: \/clone$/],
    ["theme", /^There is no command "\/theme"\. The terminal's colours are set in/],
    ["add-dir", /To let Write and Edit change files in another folder, start with: scorel --allow-write <dir>$/],
    ["permissions", /^There is no command "\/permissions"\. To show or change what runs without asking: \/permission$/],
    ["sessions", /: \/resume$/],
    ["settings", /a list in the full-screen terminal\. Elsewhere, run in a shell: scorel config show$/],
    ["constructor", /^There is no command "\/constructor"\. (?!.*instead)/],
  ])("that other tools or the full-screen terminal have, /%s, says what to do here", async (name, message) => {
    await using s = await opened({});
    await expect(s.run(name)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });

  it("without a function is refused, with its plugin's name", async () => {
    await using s = await opened({ empty: {} });
    await expect(s.run("empty")).rejects.toMatchObject({
      code: "COMMAND_INVALID",
      message: expect.stringContaining('"mine"'),
    });
  });
});

describe("a command whose name is taken", () => {
  const status = { status: { run: () => "mine" } };

  it("is left out and told once, unless its plugin replaces the other one", async () => {
    using home = testHome();
    const own = plugin({ ...status, mine: { run: () => "runs" } });
    for (const [replaces, output, told] of [
      [[], expect.stringMatching(/^session /), 1],
      [["status"], "mine", 0],
    ] as const) {
      await using t = await testHost([echoAgent, { ...own, replaces }]);
      const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
      const run = (name: string) => t.client.request("run_command", { sessionId, name, args: "" });
      expect([await run("mine"), await run("status")]).toEqual([
        { output: "runs" },
        expect.objectContaining({ output }),
      ]);
      await run("status");
      const { notices } = await t.client.request("get_status", { sessionId });
      expect(notices.filter(({ code }) => code === "COMMAND_DUPLICATE").map(({ message }) => message)).toEqual(
        Array(told).fill(
          'Plugin "mine" failed in commands: The command "/status" of plugin "mine" is left out: plugin "commands", which loads earlier, has one of that name. Rename it, or set `replaces: ["status"]` in plugin "mine" to use it instead.',
        ),
      );
    }
  });
});

describe("completion", () => {
  it("offers names, values, options, and the command's own suggestions", async () => {
    await using s = await opened({
      plant: {
        args: z.object({ kind: z.enum(["oak", "elm"]), place: z.string(), deep: z.boolean().optional() }),
        complete: (key: string, typed: string) => (key === "place" ? [`${typed}garden`, "other"] : []),
        run: () => {},
      },
      plan: { run: () => {} },
    });
    expect(await s.complete("/pla")).toEqual({ from: 1, values: ["plan", "plant"] });
    expect(await s.complete("/plant ")).toEqual({ from: 7, values: ["oak", "elm"] });
    expect(await s.complete("/plant e")).toEqual({ from: 7, values: ["elm"] });
    expect(await s.complete("/plant elm the-")).toEqual({ from: 11, values: ["the-garden"] });
    expect(await s.complete("/plant elm the old ")).toEqual({ from: 11, values: ["the old garden"] });
    expect(await s.complete("/plant elm --")).toEqual({ from: 11, values: ["--deep"] });
    expect(await s.complete("/plan x")).toEqual({ from: 6, values: [] });
    expect(await s.complete("/nothing x")).toEqual({ from: 9, values: [] });
  });

  it("reads a line of any length once", async () => {
    await using s = await opened({ plant: { args: z.object({ place: z.string() }), run: () => {} } });
    // A search that begins again at each letter would not finish.
    const long = `${"x".repeat(1_000_000)} `;
    expect(await s.complete(long)).toEqual({ from: long.length, values: [] });
    expect(await s.complete(`/plant ${long}`)).toEqual({ from: 7, values: [] });
  });
});

describe("a word with a mark before it", () => {
  const marking = (id: string, marked: unknown) =>
    definePlugin({ id, name: id, version: "1.0.0", markedWords: () => marked as never });
  const trees = marking("trees", [{ sign: "#", complete: () => ["oak", "elm", "ash"] }]);

  it("is completed anywhere in the line, by the plugin that has the mark", async () => {
    const birds = marking("birds", [{ sign: "#", complete: async () => ["owl", "oak"] }]);
    using home = testHome();
    const commands = plugin({ say: { run: () => {} } });
    await using t = await testHost([echoAgent, trees, birds, commands]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const complete = (line: string) => t.client.request("complete_command", { sessionId, line });
    expect(await complete("cut the #o")).toEqual({ from: 8, values: ["#oak", "#owl"] });
    expect(await complete("#")).toEqual({ from: 0, values: ["#ash", "#elm", "#oak", "#owl"] });
    expect(await complete("/say it to #el")).toEqual({ from: 11, values: ["#elm"] });
    expect(await complete("cut the oak #")).toMatchObject({ from: 12 });
    for (const line of ["", "cut the ", "cut the o", "a#o"]) expect((await complete(line)).values).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["no list", { sign: "#" }],
    ["no function", [{ sign: "#" }]],
    ["no texts", [{ sign: "#", complete: () => [5] }]],
  ])("has others' words when a plugin brings %s", async (_what, marked) => {
    using home = testHome();
    await using t = await testHost([echoAgent, trees, marking("broken", marked)]);
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    const { values } = await t.client.request("complete_command", { sessionId, line: "#a" });
    const { notices } = await t.client.request("get_status", { sessionId });
    expect([values, notices.map(({ message }) => message).join()]).toEqual([
      ["#ash"],
      expect.stringContaining('"markedWords" of plugin "broken" cannot be used'),
    ]);
  });
});

describe("arguments", () => {
  const schema = z.object({ first: z.string(), rest: z.string().optional(), loud: z.boolean().optional() });

  it("keep the last argument's words together, flags apart, and remove quotation marks", () => {
    expect(usageOf("say", schema)).toBe("/say <first> [rest] [--loud]");
    expect(parseArguments("say", schema, '"two words" and  all of this --loud')).toEqual({
      first: "two words",
      rest: "and  all of this",
      loud: true,
    });
    expect(parseArguments("say", schema, "a b --quiet")).toEqual({ first: "a", rest: "b --quiet" });
  });

  it("with very many flags are read in one pass, those at the end as flags and others as words", () => {
    const flags = " --loud".repeat(200_000);
    expect(parseArguments("say", schema, `a b${flags} c${flags}`)).toEqual({
      first: "a",
      rest: `b${flags} c`,
      loud: true,
    });
  });

  it("of any text are read or refused, and never lost", () => {
    const words = fc.array(fc.stringMatching(/^[^\s"]{1,8}$/), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(words, (given) => {
        fc.pre(given.every((word) => !word.startsWith("--")));
        const parsed = parseArguments("say", schema, given.join(" "));
        expect([parsed.first, parsed.rest].filter((part) => part !== undefined).join(" ")).toBe(given.join(" "));
      }),
    );
  });
});

describe("a Markdown file", () => {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };

  it("of the user is a command that sends its text with the arguments filled in", async () => {
    await using s = await opened({});
    put(
      join(s.home.home, ".scorel/commands/review.md"),
      "---\ndescription: Look it over\nargument-hint: <file>\n---\nReview $1, then $ARGUMENTS.\n",
    );
    put(join(s.home.home, ".scorel/commands/git/log.md"), "# Tell the story\n");
    expect((await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"))).toEqual([
      {
        name: "git:log",
        description: "Tell the story",
        usage: "/git:log",
        plugin: join(s.home.home, ".scorel/commands/git/log.md"),
        group: "Other",
      },
      {
        name: "review",
        description: "Look it over",
        usage: "/review <file>",
        plugin: join(s.home.home, ".scorel/commands/review.md"),
        group: "Other",
      },
    ]);
    const { turn } = await s.run("review", '"a b.ts" twice');
    expect((await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: turn ?? "" })).text).toBe(
      'echo: Review a b.ts, then "a b.ts" twice.',
    );
    const plain = await s.run("git:log", "of May");
    expect((await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: plain.turn ?? "" })).text).toBe(
      "echo: # Tell the story\n\nof May",
    );
  });

  it.each([
    ["folded lines", "description: >\n  Look it\n  over\nargument-hint: [file]", "Look it over", "/review [file]"],
    ["a block", "description: |-\n  Look it\n  over", "Look it over", "/review"],
    ["quotes", 'description: "Look: \\"it\\" over"', 'Look: "it" over', "/review"],
    ["invalid YAML", "description: Look: it\nargument-hint: [a] [b]", "Look: it", "/review [a] [b]"],
    ["no end", "description: Look\n- - -", "---", "/review"],
  ])("has front matter with %s", async (_what, matter, description, usage) => {
    await using s = await opened({});
    const path = join(s.home.home, ".scorel/commands/review.md");
    put(path, `---\n${matter}${description === "---" ? "" : "\n---"}\nReview it.\n`);
    expect((await s.listed()).filter(({ name }) => name === "review")).toEqual([
      { name: "review", description, usage, plugin: path, group: "Other" },
    ]);
  });

  it("gets an argument of several lines without its quotation marks", async () => {
    await using s = await opened({});
    put(join(s.home.home, ".scorel/commands/fix.md"), "Fix <$1> in $2.");
    const { turn = "" } = await s.run("fix", '"TypeError:\n  at a.ts" b.ts');
    expect((await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: turn })).text).toBe(
      "echo: Fix <TypeError:\n  at a.ts> in b.ts.",
    );
  });

  it("is described on one line, without control characters, and with whole characters", async () => {
    await using s = await opened({});
    put(join(s.home.home, ".scorel/commands/red.md"), '---\ndescription: "A \\e[31mred\\u202e one"\n---\nPaint.');
    put(join(s.home.home, ".scorel/commands/long.md"), `${"x".repeat(79)}😀 and more`);
    const described = (await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"));
    expect(described.map(({ description }) => description)).toEqual(["x".repeat(79), "A red\\u{202e} one"]);
  });

  it("may be in the folder of another agent, and the one in Scorel's own folder comes first", async () => {
    await using s = await opened({});
    put(join(s.home.home, ".claude/commands/standup.md"), "Yesterday: !`git log --since $1`\n");
    put(join(s.home.home, ".claude/commands/review.md"), "theirs\n");
    put(join(s.home.home, ".scorel/commands/review.md"), "own\n");
    const said = async (name: string, args?: string) => {
      const { turn = "" } = await s.run(name, args);
      return (await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: turn })).text;
    };
    expect([await said("review"), await said("standup", "monday")]).toEqual([
      "echo: own",
      "echo: Yesterday: (first run `git log --since monday`, and use its output here)",
    ]);
  });

  it("may begin with a byte order mark, and have empty front matter", async () => {
    await using s = await opened({});
    put(join(s.home.home, ".scorel/commands/marked.md"), "\ufeff---\ndescription: Look\n---\nReview it.\n");
    put(join(s.home.home, ".scorel/commands/bare.md"), "---\n---\nFirst.\n\n---\nSecond.\n");
    const found = (await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"));
    expect(found.map(({ name, description }) => ({ name, description }))).toEqual([
      { name: "bare", description: "First." },
      { name: "marked", description: "Look" },
    ]);
    const said = async (name: string) => {
      const { turn = "" } = await s.run(name);
      return (await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: turn })).text;
    };
    expect([await said("marked"), await said("bare")]).toEqual(["echo: Review it.", "echo: First.\n\n---\nSecond."]);
  });

  it("never runs its content, and never replaces a command", async () => {
    await using s = await opened({});
    put(join(s.home.home, ".scorel/commands/status.md"), "!`touch owned`\n");
    put(join(s.home.home, ".scorel/commands/other.md"), "!`touch owned` @/etc/passwd\n");
    expect((await s.run("status")).output).toContain(s.sessionId);
    const { turn } = await s.run("other");
    expect((await s.t.client.request("wait_turn", { sessionId: s.sessionId, id: turn ?? "" })).text).toBe(
      "echo: (first run `touch owned`, and use its output here) @/etc/passwd",
    );
  });

  it("of a project is not read before the project is trusted, nor through a link, nor when it is huge", async () => {
    await using s = await opened({});
    put(join(s.home.cwd, ".scorel/commands/theirs.md"), "do bad things");
    put(join(s.home.cwd, ".claude/commands/theirs-too.md"), "do bad things");
    put(join(s.home.home, ".scorel/commands/huge.md"), "x".repeat(70_000));
    put(join(s.home.home, "secret.md"), "secret");
    symlinkSync(join(s.home.home, "secret.md"), join(s.home.home, ".scorel/commands/linked.md"));
    expect((await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"))).toEqual([]);
  });
});

describe("a folder of command files", () => {
  it("is read without following links, so that links in circles do not matter", async () => {
    using home = testHome();
    const folder = join(home.home, ".scorel/commands");
    mkdirSync(join(folder, "deep"), { recursive: true });
    writeFileSync(join(folder, "deep/own.md"), "Text.");
    for (const name of ["one", "two", "deep/three"]) symlinkSync(folder, join(folder, name));
    await using s = await opened({}, home);
    const own = (await s.listed()).filter(({ plugin }) => plugin.startsWith(folder));
    expect(own.map(({ name }) => name)).toEqual(["deep:own"]);
  });

  it("is used up to a limit, and what is left out is said once", async () => {
    await using s = await opened({});
    const folder = join(s.home.home, ".scorel/commands");
    mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 2_001; n++) writeFileSync(join(folder, `c${String(n).padStart(4, "0")}.md`), "do it");
    const notices = async () =>
      (await s.t.client.request("get_status", { sessionId: s.sessionId })).notices.map(({ message }) => message);
    const message = `${folder} has more than 2000 command files: 1 of them, the last in alphabetical order, are not used. Remove some, or turn them into skills.`;
    for (let times = 0; times < 2; times++) {
      expect((await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"))).toHaveLength(2_000);
      expect((await notices()).filter((each) => each === message)).toHaveLength(1);
    }
  });
});

describe("command files", () => {
  it("that cannot be commands are named once, with the reason", async () => {
    await using s = await opened({});
    const folder = join(s.home.home, ".scorel/commands");
    mkdirSync(join(folder, ".obsidian"), { recursive: true });
    for (const name of ["mine", "two words", "1st", ".draft", ".obsidian/note"])
      writeFileSync(join(folder, `${name}.md`), "do it");
    writeFileSync(join(folder, "huge.md"), "x".repeat(70_000));
    symlinkSync("mine.md", join(folder, "linked.md"));
    for (let times = 0; times < 2; times++) {
      const own = (await s.listed()).filter(({ plugin }) => plugin.endsWith(".md"));
      expect(own.map(({ name }) => name)).toEqual(["mine"]);
    }
    const { notices } = await s.t.client.request("get_status", { sessionId: s.sessionId });
    const name = "needs a name that begins with an English letter and continues with letters, digits, - and _";
    expect(notices.map(({ message }) => message)).toEqual([
      `Command files in ${folder} are not used: 1st.md ${name}; huge.md has more than 64 KiB; linked.md is a link, which is not followed; and 1 more.`,
    ]);
  });

  it("that cannot be read are said once, and everything else can be used", async () => {
    await using s = await opened({ hello: () => "hello" });
    const folder = join(s.home.home, ".scorel/commands");
    writeFileSync(folder, "not a folder");
    const notices = async () =>
      (await s.t.client.request("get_status", { sessionId: s.sessionId })).notices.map(({ message }) => message);
    for (let times = 0; times < 2; times++) {
      expect((await s.listed()).map(({ name }) => name)).toEqual(expect.arrayContaining(["hello", "help"]));
      expect((await s.run("hello")).output).toBe("hello");
      expect((await notices()).filter((each) => each.startsWith(folder))).toEqual([
        `${folder} cannot be read (ENOTDIR), so its commands are not used.`,
      ]);
    }
  });

  const unreadable: [what: string, mode: number][] =
    process.getuid?.() === 0
      ? []
      : [
          ["be read", 0],
          ["be entered", 0o444],
        ];
  // Root can read all files.
  it.each(unreadable)("beside files and folders that cannot %s can be used", async (_what, mode) => {
    await using s = await opened({});
    const folder = join(s.home.home, ".scorel/commands");
    mkdirSync(join(folder, "closed"), { recursive: true, mode: 0o700 });
    for (const name of ["mine", "secret", "closed/other"]) writeFileSync(join(folder, `${name}.md`), "do it");
    chmodSync(join(folder, "secret.md"), 0);
    chmodSync(join(folder, "closed"), mode);
    const own = async () => (await s.listed()).filter(({ plugin }) => plugin.endsWith(".md")).map(({ name }) => name);
    expect(await own()).toEqual(["mine"]);
    const { notices } = await s.t.client.request("get_status", { sessionId: s.sessionId });
    expect(notices.map(({ message }) => message.slice(folder.length)).sort()).toEqual([
      `/closed${mode === 0 ? "" : "/other.md"} cannot be read (EACCES), so its commands are not used.`,
      "/secret.md cannot be read (EACCES), so its commands are not used.",
    ]);
    chmodSync(join(folder, "closed"), 0o700);
    expect(await own()).toEqual(["closed:other", "mine"]);
  });
});

describe("built-in commands", () => {
  it("copy the last answer and show the cost", async () => {
    await using s = await opened({});
    await expect(s.run("copy")).rejects.toMatchObject({ code: "COMMAND_NOTHING" });
    await expect(s.run("cost")).rejects.toMatchObject({ code: "COMMAND_NOTHING" });
    await ask(s.t.client, s.sessionId, "hello");
    expect(await s.run("copy")).toEqual({
      copy: "echo: hello",
      output: "Copied 11 characters.",
      data: { text: "echo: hello" },
    });
    expect((await s.run("cost")).output).toBe("test/echo: 1 request, 0 tokens in, 0 out, $0.0000");
  });

  it("show the same cost as the session's status, whatever plugins have noted", async () => {
    const notes = [
      { model: "p/small", usage: { input: 100, output: 20, cost: { total: 0.5 } } },
      { usage: { input: 7 } },
    ];
    const entries = notes.map((data) => ({ type: "custom" as const, payload: { kind: "spent", data } }));
    await using s = await opened(({ session }) => ({
      note: { summary: "Note usage", run: async () => void (await session.appendAll(entries)) },
    }));
    await ask(s.t.client, s.sessionId, "hello");
    await s.run("note");
    const { output, data } = await s.run("cost");
    expect(output).toBe(
      [
        "test/echo: 1 request, 0 tokens in, 0 out, $0.0000",
        "p/small: 1 request, 100 tokens in, 0% from the cache, 20 out, $0.5000",
        "unknown: 1 request, 7 tokens in, 0% from the cache, 0 out, cost unknown",
        "all: at least $0.5000",
      ].join("\n"),
    );
    expect((data as any).models.unknown.input).toBe(7);
    const { spent } = await s.t.client.request("load_session", { sessionId: s.sessionId });
    expect(spent).toMatchObject({ input: 107, output: 20 });
  });

  it("call the whole cost unknown if no price is known", async () => {
    const notes = ["p/one", "p/two"].map((model) => ({ model, usage: { input: 7 } }));
    const entries = notes.map((data) => ({ type: "custom" as const, payload: { kind: "spent", data } }));
    await using s = await opened(({ session }) => ({
      note: { summary: "Note usage", run: async () => void (await session.appendAll(entries)) },
    }));
    await s.run("note");
    expect((await s.run("cost")).output).toBe(
      [
        "p/one: 1 request, 7 tokens in, 0% from the cache, 0 out, cost unknown",
        "p/two: 1 request, 7 tokens in, 0% from the cache, 0 out, cost unknown",
        "all: cost unknown",
      ].join("\n"),
    );
  });

  it("show the thinking level", async () => {
    await using s = await opened({});
    expect(await s.run("think")).toEqual({ output: "thinking off", data: { level: "off" } });
    await expect(s.run("think", "hgh")).rejects.toMatchObject({ code: "COMMAND_ARGUMENTS" });
  });

  it("start and resume sessions, and tell the client which to show", async () => {
    await using s = await opened({});
    await ask(s.t.client, s.sessionId, "hello");
    const begun = await s.run("new");
    expect(begun).toMatchObject({
      sessionId: expect.not.stringMatching(s.sessionId),
      output: `New session; the former one is kept: /resume ${s.sessionId.slice(0, 8)}`,
    });
    const there = begun.sessionId as string;
    const empty = await s.t.client.request("run_command", { sessionId: there, name: "clear", args: "" });
    expect(empty).toMatchObject({ output: "New session" });
    const asked = { sessionId: begun.sessionId as string, name: "resume" };
    const listed = await s.t.client.request("run_command", { ...asked, args: "" });
    expect(listed.output).toMatch(
      new RegExp(`^${s.sessionId.slice(0, 8)}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  hello$`),
    );
    const back = await s.t.client.request("run_command", { ...asked, args: s.sessionId.slice(0, 10) });
    expect(back).toMatchObject({ sessionId: s.sessionId });
  });

  it("resume a session by a part of its title, and list those that fit if there are several", async () => {
    await using s = await opened({});
    await ask(s.t.client, s.sessionId, "mend the parser");
    const docs = await s.t.client.request("create_session", { cwd: s.home.cwd });
    await ask(s.t.client, docs.sessionId, "write the docs");
    const { sessionId } = await s.t.client.request("create_session", { cwd: s.home.cwd });
    const resume = (args: string) => s.t.client.request("run_command", { sessionId, name: "resume", args });
    expect(await resume("The Parser")).toMatchObject({
      output: 'Now in "mend the parser"',
      sessionId: s.sessionId,
    });
    await expect(resume("the")).rejects.toMatchObject({
      code: "RESUME_AMBIGUOUS",
      message: expect.stringMatching(
        new RegExp(`^2 sessions .*\n  ${docs.sessionId}  .*  write the docs\n  ${s.sessionId}  .*  mend the parser\n`),
      ),
    });
    await expect(resume("no such title")).rejects.toMatchObject({ code: "RESUME_UNKNOWN" });
  });

  it("list, offer and resume the sessions of all folders of the project", async () => {
    using home = testHome();
    await using t = await testHost([echoAgent], [], [projects]);
    const begun = async (folder: string, text: string) => {
      const cwd = join(home.cwd, folder);
      mkdirSync(cwd, { recursive: true });
      const { sessionId } = await t.client.request("create_session", { cwd });
      await ask(t.client, sessionId, text);
      return sessionId;
    };
    mkdirSync(join(home.cwd, ".git"));
    const deep = await begun("pkg3/src", "the parser");
    const sessionId = await begun("pkg5", "write the docs");
    const long = await begun("pkg5", "mend the parser");
    const resume = async (args: string) => t.client.request("run_command", { sessionId, name: "resume", args });
    const time = /\d{4}-\d\d-\d\d \d\d:\d\d/g;
    expect((await resume("")).output?.replace(time, "(time)").split("\n")).toEqual([
      `${long.slice(0, 8)}  (time)  mend the parser`,
      `${deep.slice(0, 8)}  (time)  the parser  (../pkg3/src)`,
    ]);
    const { choices } = await t.client.request("list_choices", { sessionId, name: "resume" });
    expect(choices.map(({ value, detail }) => [value, detail?.replace(time, "(time)")])).toEqual([
      [long, "(time)"],
      [deep, "(time)  ../pkg3/src"],
    ]);
    // The title of a session in another folder fits better than a part of a title in this one.
    expect([(await resume("the parser")).sessionId, (await resume("parser")).sessionId]).toEqual([deep, long]);
  });

  it("complete a session's title or id, and offer the sessions by their titles", async () => {
    await using s = await opened({});
    await ask(s.t.client, s.sessionId, "mend the parser");
    for (const title of ["write the docs", "write the docs"]) {
      const { sessionId } = await s.t.client.request("create_session", { cwd: s.home.cwd });
      await ask(s.t.client, sessionId, title);
    }
    const { sessionId } = await s.t.client.request("create_session", { cwd: s.home.cwd });
    const { choices } = await s.t.client.request("list_choices", { sessionId, name: "resume" });
    const [second, first] = choices.map(({ value }) => value);
    const detail = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(choices).toEqual([
      { value: second, label: "write the docs", detail },
      { value: first, label: "write the docs", detail },
      { value: s.sessionId, label: "mend the parser", detail },
    ]);
    const complete = (line: string) => s.t.client.request("complete_command", { sessionId, line });
    // Two sessions have the same title, so these are told apart by their ids.
    expect(await complete("/resume ")).toEqual({ from: 8, values: [second, first, "mend the parser"] });
    expect(await complete("/resume mend the p")).toEqual({ from: 8, values: ["mend the parser"] });
    expect(await complete(`/resume ${s.sessionId.slice(0, 12)}`)).toEqual({ from: 8, values: [s.sessionId] });
  });

  it("reopen the session with the current plugins", async () => {
    await using s = await opened({});
    await ask(s.t.client, s.sessionId, "hello");
    const before = await s.t.client.request("get_status", { sessionId: s.sessionId });
    expect(await s.run("reload")).toMatchObject({ sessionId: s.sessionId });
    const after = await s.t.client.request("get_status", { sessionId: s.sessionId });
    expect(after.anchor.activation).not.toBe(before.anchor.activation);
    expect(after.leafId).toBe(before.leafId);
    expect(await ask(s.t.client, s.sessionId, "still here")).toBe("echo: still here");
  });
});
