import type { CliCommand, CliOption, CompletionSource, FolderOption, Invocation, Launch } from "@scorel/cli/contract";
import { defineErrors, definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { withFolderOptions } from "../../plugins/cli/folder-options.ts";
import cli from "../../plugins/cli/index.ts";
import { testKernel } from "../harness.ts";

const errors = defineErrors({
  TEST_USAGE: { exit: 2, text: () => "No model.\nSet one." },
  TEST_WORK: () => "It is locked.",
  TEST_MANY: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
});

const globalOptions: CliOption[] = [
  { flags: "--preset <name>", description: "What to load" },
  { flags: "--allow-write <dir>", description: "Also write here", repeatable: true },
  { flags: "--trust", description: "Trust it" },
];
const rootOptions: CliOption[] = [
  { flags: "-p, --print <prompt>", description: "Answer once", once: true },
  { flags: "--output <format>", description: "How", values: ["text", "json"], default: "text" },
  { flags: "--color [when]", description: "Colours" },
];

/** A command line with some commands; `run` returns the exit code, the output, and the input of the command. */
async function commandLine(
  extra: readonly CliCommand[] = [],
  root: Partial<CliCommand> = {},
  failed: readonly string[] = [],
  completionSources: unknown = [],
) {
  const said = { out: "", err: "" };
  let given: unknown;
  const stream = (key: "out" | "err") => ({
    write(text: string) {
      said[key] += text;
    },
  });
  const launch = {
    version: "1.2.3",
    globalOptions,
    failedExtensions: () => failed,
    cwd: "/work",
    env: {},
    stdin: undefined,
    stdout: stream("out"),
    stderr: stream("err"),
    interrupt: new AbortController().signal,
  } as unknown as Launch;
  const command = (noun: string, action: string | undefined, more: Partial<CliCommand> = {}): CliCommand => ({
    noun,
    ...(action !== undefined && { action }),
    description: `${noun} ${action}`,
    run: ({ args, options }) => {
      given = { command: [noun, action].filter(Boolean).join(" "), args, options };
      return 0;
    },
    ...more,
  });
  const commands = [
    command("", undefined, { options: rootOptions, ...root }),
    command("session", "list", { options: [{ flags: "--all", description: "All of them" }] }),
    command("session", "show", { args: "<id> [filter]" }),
    command("chat", undefined, { args: "[words...]" }),
    ...extra,
  ];
  const plugin = definePlugin({
    id: "commands",
    name: "Commands",
    version: "1.0.0",
    cliCommands: () => commands,
    completionSources: () => completionSources as CompletionSource[],
  });
  const t = await testKernel([cli, plugin], { services: { launch } });
  return {
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
    help: (noun?: string, action?: string) => t.kernel.find("cli")?.help(noun, action),
    async run(...argv: string[]) {
      Object.assign(said, { out: "", err: "" });
      given = undefined;
      const code = await t.kernel.find("cli")?.run(argv);
      return { code, ...said, given };
    },
  };
}

const given = (command: string, args: string[] = [], options: Record<string, unknown> = {}) => ({
  code: 0,
  out: "",
  err: "",
  given: { command, args, options },
});
const refused = (err: string) => ({ code: 2, out: "", err: `scorel: ${err}\n`, given: undefined });

describe("a command line", () => {
  it("finds the command by noun and action, wherever options are", async () => {
    await using scorel = await commandLine();
    expect(await scorel.run("session", "list")).toEqual(given("session list"));
    expect(await scorel.run("--trust", "session", "--preset", "none", "show", "abc", "x")).toEqual(
      given("session show", ["abc", "x"], { trust: true, preset: "none" }),
    );
    expect(await scorel.run()).toEqual(given("", [], { output: "text" }));
  });

  it.each([
    ['"oops"', "oops"],
    ["true", true],
    ["1.5", 1.5],
    ["NaN", Number.NaN],
    ["-1", -1],
    ["256", 256],
    ["an object", { exit: 1 }],
  ])("fails with the name of the plugin when a command returns %s as its exit code", async (returned, value) => {
    await using scorel = await commandLine([{ noun: "odd", description: "Odd", run: () => value as never }]);
    expect(await scorel.run("odd")).toEqual({
      code: 1,
      out: "",
      err: `scorel: "scorel odd" of plugin "commands" ran, but "run" returned ${returned} as its exit code. Return an integer from 0 to 255, where 0 means success.\n`,
      given: undefined,
    });
  });

  it("takes a command that returns nothing as successful", async () => {
    await using scorel = await commandLine([{ noun: "odd", description: "Odd", run: async () => undefined as never }]);
    expect(await scorel.run("odd")).toMatchObject({ code: 0, err: "" });
  });

  it("does not treat an option's value as a command or an option", async () => {
    await using scorel = await commandLine();
    expect(await scorel.run("-p", "- first")).toEqual(given("", [], { print: "- first", output: "text" }));
    expect(await scorel.run("--preset", "-1")).toEqual(given("", [], { preset: "-1", output: "text" }));
    expect(await scorel.run("-p", "session")).toEqual(given("", [], { print: "session", output: "text" }));
    expect(await scorel.run("--preset", "session", "chat")).toEqual(given("chat", [], { preset: "session" }));
  });

  it.each([
    ["--preset", "0123", "0123"],
    ["--preset", "1e3", "1e3"],
    ["--preset", "true", "true"],
    ["--preset", "=", "="],
    ["--preset", "a=b", "a=b"],
    ["--preset", "", ""],
    ["--preset", "- first, do this", "- first, do this"],
    ["--preset", "--no-such-option", "--no-such-option"],
  ])("keeps the value of %s %s as text", async (flag, value, text) => {
    await using scorel = await commandLine();
    expect(await scorel.run("session", "list", flag, value)).toEqual(given("session list", [], { preset: text }));
    expect(await scorel.run("session", "list", `${flag}=${value}`)).toEqual(
      given("session list", [], { preset: text }),
    );
  });

  it("collects repeatable options; the last value of any other option counts", async () => {
    await using scorel = await commandLine();
    const argv = ["--allow-write", "/a", "--allow-write=/b", "--preset", "x", "--preset", "y", "chat"];
    expect(await scorel.run(...argv)).toEqual(given("chat", [], { allowWrite: ["/a", "/b"], preset: "y" }));
    expect(await scorel.run("chat", "--allow-write", "7")).toEqual(given("chat", [], { allowWrite: ["7"] }));
  });

  it("refuses a second value of an option that is given only once, since the first would be lost", async () => {
    await using scorel = await commandLine();
    expect(await scorel.run("-p", "hi", "--print=ho")).toMatchObject({
      code: 2,
      err: 'scorel: "--print" takes one value, but was given two: "hi" and "ho". Leave one of them out.\n',
    });
    expect(await scorel.run("-p", "hi", "-p", "hi")).toMatchObject({ code: 0, given: { options: { print: "hi" } } });
  });

  it("takes --json for --output json, where a command has that", async () => {
    const output = { flags: "--output <format>", description: "How", values: ["text", "json"], default: "text" };
    const given: unknown[] = [];
    const command = (noun: string, options: CliOption[]): CliCommand => ({
      noun,
      description: noun,
      options,
      run: (invocation) => {
        given.push(invocation.options);
        return 0;
      },
    });
    await using scorel = await commandLine([command("rows", [output]), command("plain", [])]);
    for (const words of [["--json"], ["--output", "json"], [], ["--json", "--output", "json"]])
      expect((await scorel.run("rows", ...words)).code).toBe(0);
    const json = { output: "json" };
    expect(given).toEqual([json, json, { output: "text" }, json]);
    expect((await scorel.run("plain", "--json")).err).toContain('"scorel plain" has no option "--json".');
    expect((await scorel.run("rows", "--help")).out).toContain("--json             The same as --output json");
  });

  it("takes everything after -- as arguments", async () => {
    await using scorel = await commandLine();
    expect(await scorel.run("chat", "a", "--", "--trust", "-1")).toEqual(given("chat", ["a", "--trust", "-1"]));
  });

  it("accepts an option without its optional value", async () => {
    await using scorel = await commandLine();
    expect((await scorel.run("--color", "--trust")).given).toMatchObject({ options: { color: true, trust: true } });
    expect((await scorel.run("--color", "never")).given).toMatchObject({ options: { color: "never" } });
  });

  it("accepts an option that may be empty, anywhere in the line", async () => {
    const options = [{ flags: "--say <words>", description: "Say", mayBeEmpty: true }];
    const speak = { noun: "speak", description: "Speak", options, run: () => 0 };
    const heard: unknown[] = [];
    await using scorel = await commandLine([{ ...speak, run: ({ options }) => heard.push(options.say) && 0 }]);
    for (const words of [["--say"], ["--say", "--trust"], ["--say", "- a"], ["--say="]])
      await scorel.run("speak", ...words);
    expect(heard).toEqual(["", "", "- a", ""]);
  });

  it.each([
    [["sesion", "list"], 'There is no command "sesion". Did you mean "session"? `scorel --help` lists all commands.'],
    [
      ["fix the bug"],
      'There is no command "fix the bug". To send a prompt: scorel -p "…", or start scorel and type it. `scorel --help` lists all commands.',
    ],
    [["session"], '"scorel session" needs an action: list, show.'],
    [
      ["session", "shwo"],
      '"scorel session" has no action "shwo". Did you mean "show"? `scorel session --help` lists them all.',
    ],
    [["session", "list", "--al"], '"scorel session list" has no option "--al". Did you mean "--all"?'],
    [["--trsut", "chat"], '"scorel chat" has no option "--trsut". Did you mean "--trust"?'],
    [["-p", "hi", "--outptu", "json"], '"scorel" has no option "--outptu". Did you mean "--output"?'],
    [["-p", "hi", "--output-format", "json"], '"scorel" has no option "--output-format". Did you mean "--output"?'],
    [["chat", "--all"], '"scorel chat" has no option "--all". `scorel chat --help` lists them all.'],
    [["chat", "-x"], '"scorel chat" has no option "-x". `scorel chat --help` lists them all.'],
    [["-x"], '"scorel" has no option "-x". `scorel --help` lists them all.'],
    [["--verson"], '"scorel" has no option "--verson". Did you mean "--version"?'],
    [["chat", "--hep"], '"scorel chat" has no option "--hep". Did you mean "--help"?'],
    [
      ["session", "ls"],
      '"scorel session" has no action "ls". Did you mean "list"? `scorel session --help` lists them all.',
    ],
    [["-print", "hi"], '"scorel" has no option "-print". Did you mean "--print"?'],
    [["-p", "--output-format", "json", "hi"], '"scorel" has no option "--output-format". Did you mean "--output"?'],
    [["-p", "--outptu=json"], '"scorel" has no option "--outptu". Did you mean "--output"?'],
    [["-p", "fix", "it"], '"scorel" takes no argument "it". Quote text that contains spaces.'],
    [["-p"], 'The option "--print" needs a value: <prompt>.'],
    [["-p", "--output", "json"], 'The option "--print" needs a value: <prompt>.'],
    [["--trust=no"], 'The option "--trust" takes no value.'],
    [["--output", "jason"], '"--output" does not accept "jason". Use one of: text, json. Did you mean "json"?'],
    [["session", "show"], '"scorel session show" needs <id>.'],
    [["session", "list", "x"], '"scorel session list" takes no argument "x". Quote text that contains spaces.'],
  ])("refuses %j by name", async (argv, message) => {
    await using scorel = await commandLine();
    expect(await scorel.run(...argv)).toEqual(refused(message));
  });

  it("accepts a prompt after the options, and distinguishes it from a misspelt command", async () => {
    await using scorel = await commandLine([], { args: "[prompt]" });
    const prompted = async (...argv: string[]) => (await scorel.run(...argv)).given;
    const given = (prompt: string, options = {}) => ({ command: "", args: [prompt], options });
    expect(await prompted("fix the bug")).toMatchObject(given("fix the bug"));
    expect(await prompted("--trust", "hello")).toMatchObject(given("hello", { trust: true }));
    expect(await prompted("sesion of today")).toMatchObject(given("sesion of today"));
    expect(await prompted("--", "session")).toMatchObject(given("session"));
    expect(await prompted("--", "sesion")).toMatchObject(given("sesion"));
    expect(await scorel.run("sesion")).toEqual(
      refused(
        'There is no command "sesion". Did you mean "session"? To send it as a prompt: scorel -- sesion. `scorel --help` lists all commands.',
      ),
    );
    expect(await scorel.run("fix", "the", "bug")).toEqual(
      refused('"scorel" takes no argument "the". Quote text that contains spaces.'),
    );
  });

  it("does not send a single word as a prompt if it may be a command of an extension that failed", async () => {
    await using scorel = await commandLine([], { args: "[prompt]" }, ["/home/ship.ts", "/home/pigeon.ts"]);
    const missing = refused(
      'There is no command "ship". It may belong to an extension that failed: /home/ship.ts, /home/pigeon.ts. `scorel plugin list` says why. To send it as a prompt: scorel -- ship',
    );
    for (const argv of [["ship"], ["ship", "prod"], ["--trust", "ship"]])
      expect(await scorel.run(...argv)).toEqual(missing);
    for (const argv of [["ship it"], ["--", "ship it"]])
      expect((await scorel.run(...argv)).given).toMatchObject({ command: "", args: ["ship it"] });
    expect((await scorel.run("--", "ship")).given).toMatchObject({ command: "", args: ["ship"] });
    expect((await scorel.run("-p", "ship")).given).toMatchObject({ command: "", options: { print: "ship" } });
    expect((await scorel.run("sesion")).err).toContain('Did you mean "session"?');
  });

  it("names the command of which only the action was typed, or another word for it", async () => {
    const serve = { noun: "host", action: "serve", otherActions: { start: "serve", restart: "serve --replace" } };
    await using scorel = await commandLine([{ ...serve, description: "Serve", run: () => 0 }], { args: "[prompt]" });
    const meant = {
      serve: "scorel host serve",
      restart: "scorel host serve --replace",
      list: "scorel session list",
      print: "scorel --print",
    };
    for (const [word, command] of Object.entries(meant))
      expect((await scorel.run(word)).err).toContain(
        `Did you mean \`${command}\`? To send it as a prompt: scorel -- ${word}.`,
      );
    expect((await scorel.run("host", "start")).err).toContain(
      '"scorel host" has no action "start". Did you mean `scorel host serve`?',
    );
    expect((await scorel.run("serve it")).given).toMatchObject({ args: ["serve it"] });
  });

  it("names the command for a word that is a command of another tool, if it stands alone, or before another word", async () => {
    const up = { noun: "up", description: "Open the page", run: () => 0 };
    await using scorel = await commandLine([up], { args: "[prompt]" });
    const rest = (word: string) => `To send it as a prompt: scorel -- ${word}. \`scorel --help\` lists all commands.`;
    const meant = { web: "scorel up", exec: "scorel -p", history: "scorel session list", tui: "scorel" };
    for (const [word, command] of Object.entries(meant))
      expect(await scorel.run(word)).toEqual(
        refused(`There is no command "${word}". Did you mean \`${command}\`? ${rest(word)}`),
      );
    expect((await scorel.run("upgrade")).err).toContain(
      `There is no command "upgrade". Scorel does not update itself: install the new version in the same way as this one. ${rest("upgrade")}`,
    );
    expect(await scorel.run("exec", "fix")).toEqual(
      refused('There is no command "exec". Did you mean `scorel -p`? `scorel --help` lists all commands.'),
    );
    // There is no command to log in.
    expect((await scorel.run("auth")).given).toMatchObject({ args: ["auth"] });
    expect((await scorel.run("web page")).given).toMatchObject({ args: ["web page"] });
  });

  it("names the value that a value of another tool means", async () => {
    const output = { flags: "--output <format>", description: "Output", values: ["text", "events"] };
    await using scorel = await commandLine([{ noun: "say", description: "Say", options: [output], run: () => 0 }]);
    expect((await scorel.run("say", "--output", "stream-json")).err).toContain('Did you mean "events"?');
  });

  it("names the command that has another word for its noun", async () => {
    await using scorel = await commandLine([
      { noun: "plugin", synonyms: ["extension", "extensions"], action: "list", description: "List", run: () => 0 },
    ]);
    for (const word of ["extensions", "extention"])
      expect(await scorel.run(word, "list")).toEqual(
        refused(`There is no command "${word}". Did you mean "plugin"? \`scorel --help\` lists all commands.`),
      );
  });

  it("explains an option after words of another command line as one of that command", async () => {
    const run = { noun: "skill", action: "run", args: "<name> <command...>", description: "Run", run: () => 0 };
    await using scorel = await commandLine([{ ...run, options: [{ flags: "--keep", description: "Keep" }] }]);
    expect(await scorel.run("skill", "run", "a", "ls", "-la")).toEqual(
      refused('"scorel skill run" has no option "-la". If it belongs to the command that follows, put -- before that.'),
    );
    expect((await scorel.run("skill", "run", "a", "ls", "--kep")).err).toContain('Did you mean "--keep"?');
    expect((await scorel.run("skill", "run", "-x")).err).toBe(
      'scorel: "scorel skill run" has no option "-x". `scorel skill run --help` lists them all.\n',
    );
  });

  it("prints an error with the exit code of its kind, and a stack only on request", async () => {
    const failing = (noun: string, thrown: unknown): CliCommand => ({
      noun,
      description: noun,
      options: [{ flags: "--verbose", description: "Tell more" }],
      run: () => {
        throw thrown;
      },
    });
    await using scorel = await commandLine([
      failing("usage", errors.TEST_USAGE()),
      failing("work", errors.TEST_WORK()),
      failing("bug", new TypeError("x is not a function")),
      failing("many", errors.TEST_MANY({ problems: ["a", "b"] })),
    ]);
    expect(await scorel.run("usage")).toEqual(refused("No model.\nSet one."));
    expect(await scorel.run("work")).toEqual({ ...refused("It is locked."), code: 1 });
    expect(await scorel.run("bug")).toEqual({ ...refused("x is not a function"), code: 1 });
    expect(await scorel.run("many")).toEqual(refused("a\nscorel: b"));
    expect((await scorel.run("bug", "--verbose")).err).toMatch(/^scorel: x is not a function\nTypeError: .*\n {4}at /);
  });

  it("reports an invalid or duplicate command once, and keeps the others", async () => {
    const wrong = [{ noun: "chat", description: "again", run: () => 0 }, { noun: "nothing" }, null];
    await using scorel = await commandLine(wrong as never);
    expect(await scorel.run("chat", "hi")).toEqual({
      ...given("chat", ["hi"]),
      err: [
        'scorel: Plugin "commands" contributes the command "scorel chat", which plugin "commands" already has; it is left out. Give it another name.',
        'scorel: "cliCommands" of plugin "commands" must return a list of commands, each with a "noun" and a function "run".',
        "",
      ].join("\n"),
    });
    expect(await scorel.run("chat")).toEqual(given("chat"));
  });
});

describe("values for completion", () => {
  const city = (values: unknown[]) => ({ kind: "city", values: () => values });

  it("are printed with their descriptions, without those that a person could not type or see", async () => {
    const values = [
      { value: "Bern", description: "a \u001b[31mcapital\nof a country" },
      { value: "Chur" },
      { value: "Gen\u200bf" },
      { value: "a\nb" },
    ];
    await using scorel = await commandLine(
      [],
      {},
      [],
      [city(values), { kind: "river", values: () => [{ value: "Aare" }] }],
    );
    expect(await scorel.run("completion", "values", "city")).toEqual({
      code: 0,
      out: "Bern\ta capital of a country\nChur\n",
      err: "",
      given: undefined,
    });
  });

  it("include `latest`, for the latest one, in arguments and options, if their source knows it", async () => {
    const visit = (completes: string): CliCommand => ({
      noun: completes,
      action: "visit",
      args: "<name>",
      completes,
      description: "Visit it",
      options: [{ flags: "--next <name>", description: "Then visit it", completes }],
      run: ({ args, options }) => {
        visited.push([...args, options.next]);
        return 0;
      },
    });
    const visited: unknown[] = [];
    const latest = ({ cwd }: { cwd: string }) => `Bern in ${cwd}`;
    const sources = [
      { ...city([{ value: "Bern" }]), latest },
      { ...city([{ value: "Aare" }]), kind: "river" },
    ];
    await using scorel = await commandLine([visit("city"), visit("river")], {}, [], sources);
    for (const words of [
      ["city", "visit", "latest", "--next", "Chur"],
      ["city", "visit", "Chur", "--next", "latest"],
      ["river", "visit", "latest", "--next", "latest"],
    ])
      await scorel.run(...words);
    expect(visited).toEqual([
      ["Bern in /work", "Chur"],
      ["Chur", "Bern in /work"],
      ["latest", "latest"],
    ]);
    const values = async (kind: string) => (await scorel.run("completion", "values", kind)).out;
    expect([await values("city"), await values("river")]).toEqual(["Bern\nlatest\tThe latest one\n", "Aare\n"]);
  });

  it("of a kind whose name is not a word are left out, since kinds stand in scripts", async () => {
    await using scorel = await commandLine([], {}, [], [city([]), { kind: "$(touch ran)", values: () => [] }]);
    expect(await scorel.run("completion", "values", "$(touch ran)")).toMatchObject({ code: 2 });
  });

  it("of an unknown kind are refused, with the known kinds", async () => {
    await using scorel = await commandLine([], {}, [], [city([]), { kind: "river" }]);
    expect(await scorel.run("completion", "values", "lake")).toEqual(
      refused('There are no values of the kind "lake". Kinds: city.'),
    );
  });
});

describe("help", () => {
  const of = (text: string | undefined) => text?.split("\n").map((line) => line.trimEnd());

  it("lists commands and options", async () => {
    await using scorel = await commandLine();
    expect(of(scorel.help())).toEqual([
      "scorel 1.2.3",
      "",
      "Usage:",
      "  scorel [options]",
      "",
      "Options:",
      "  -p, --print <prompt>  Answer once",
      "  --output <format>     How (text | json; default: text)",
      "  --json                The same as --output json",
      "  --color [when]        Colours",
      "",
      "Commands:",
      "  chat [words...]          chat undefined",
      "  completion               bash, zsh, fish, values",
      "  help [command] [action]  Show the help of Scorel or of a command, as --help does",
      "  session                  list, show",
      "",
      "Options of every command:",
      "  --preset <name>      What to load",
      "  --allow-write <dir>  Also write here (may be repeated)",
      "  --trust              Trust it",
      "  -h, --help           Show this help; `scorel <command> --help` describes a command and its actions",
      "  -v, --version        Show the version",
      "",
    ]);
  });

  it("is also a command, and refuses unknown names", async () => {
    await using scorel = await commandLine();
    const shown = async (...argv: string[]) => (await scorel.run(...argv)).out;
    expect(await shown("help")).toBe(scorel.help());
    expect(await shown("help", "session")).toBe(scorel.help("session"));
    expect(await shown("--trust", "help", "session", "show")).toBe(scorel.help("session", "show"));
    expect(await scorel.run("help", "sesion")).toEqual(
      refused('There is no command "sesion". Did you mean "session"? `scorel --help` lists all commands.'),
    );
  });

  it("for a noun lists all its actions", async () => {
    await using scorel = await commandLine();
    expect(of(scorel.help("session"))?.slice(0, 7)).toEqual([
      "scorel session",
      "",
      "Usage:",
      "  scorel session list                session list",
      "  scorel session show <id> [filter]  session show",
      "",
      "Options of scorel session list:",
    ]);
  });

  it("for a command describes it", async () => {
    await using scorel = await commandLine();
    expect(of(scorel.help("session", "list"))?.slice(0, 9)).toEqual([
      "scorel session list",
      "",
      "session list",
      "",
      "Usage:",
      "  scorel session list",
      "",
      "Options:",
      "  --all  All of them",
    ]);
    expect(scorel.help("chat")).toContain("chat undefined");
  });

  it("names the actions of a noun together, whichever plugins contribute them, and lists them with --all", async () => {
    await using scorel = await commandLine([
      { noun: "session", action: "x", description: "X", run: () => 0 },
      { noun: "chat", action: "stop", description: "Stop it", run: () => 0 },
    ]);
    const rows = (text: string | undefined) => text?.match(/^ {2}(session|chat) .*/gm);
    expect([rows(scorel.help()), rows((await scorel.run("help", "--all")).out)]).toEqual([
      ["  chat                     chat undefined; or: stop", "  session                  list, show, x"],
      [
        "  chat [words...]             chat undefined",
        "  chat stop                   Stop it",
        "  session list                session list",
        "  session show <id> [filter]  session show",
        "  session x                   X",
      ],
    ]);
  });

  it("is shown for --help and -h anywhere before --", async () => {
    await using scorel = await commandLine();
    for (const argv of [
      ["session", "--help"],
      ["--trust", "session", "show", "-h"],
    ]) {
      const out = scorel.help("session", argv.includes("show") ? "show" : undefined);
      expect(await scorel.run(...argv)).toEqual({ code: 0, out, err: "", given: undefined });
    }
    expect(await scorel.run("chat", "--", "--help")).toEqual(given("chat", ["--help"]));
  });
});

it("a folder that one option has chosen is left, also when another option cannot choose one", async () => {
  const told: string[] = [];
  const option = (flags: string, enter: FolderOption["enter"]): FolderOption => {
    const leave = async (folder: string) => void told.push(`left ${folder}`);
    return { flags, description: "A folder", enter, leave };
  };
  const { run } = withFolderOptions({ noun: "", description: "", opensSession: true, run: () => 0 }, [
    option("--first <name>", async (name) => `/${name}`),
    option("--second <name>", async () => {
      throw new Error("no such folder");
    }),
  ]);
  const entering = async () => run({ cwd: "/", options: { first: "a", second: "b" } } as unknown as Invocation);
  await expect(entering()).rejects.toThrow("no such folder");
  expect(told).toEqual(["left /a"]);
});
