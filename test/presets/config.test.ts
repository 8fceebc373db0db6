import { describe, expect, it } from "vitest";
import { projectDir } from "../../plugins/kit/files/home.ts";
import { type Resolution, resolve } from "../../presets/composition/resolution.ts";
import { type Place, place } from "./place.ts";

function resolved({ project }: Place, trusted = false, preset = "coding") {
  const dir = projectDir(project);
  return resolve({
    preset,
    by: "--preset",
    cwd: project,
    project: dir ? { dir, trusted, ...(!trusted && { notice: "not trusted" }) } : undefined,
  });
}

/** The problems of a configuration, as `scorel` prints them. */
async function problems(at: Place, trusted = false): Promise<{ code: string; lines: string[] }> {
  try {
    await resolved(at, trusted);
    return { code: "none", lines: [] };
  } catch (thrown) {
    const { code, message } = thrown as { code: string; message: string };
    return { code, lines: message.split("\n") };
  }
}

describe("a configuration", () => {
  it("is refused with all unsupported keys, at any depth", async () => {
    using at = place();
    const file = at.file(
      "~/.scorel/config.toml",
      'sessionsDir = "/tmp/nope"',
      "[model]",
      'type = "custom"',
      'api = "openai-completions"',
      'provider = "p"',
      'id = "i"',
      'baseUrl = "http://127.0.0.1:1/v1"',
      "contextWindow = 1000",
      "maxTokens = 100",
      "bogus = true",
      "[model.cost]",
      "inputs = 1",
      "[modle]",
      "x = 1",
      "[print]",
      "color = true",
    );
    expect(await problems(at)).toEqual({
      code: "CONFIG_INVALID",
      lines: [
        `Unsupported config key: sessionsDir (${file}:1)`,
        `Unsupported config key: model.bogus (${file}:10)`,
        `Unsupported config key: model.cost.inputs (${file}:12) Did you mean "input"?`,
        `Unsupported config key: modle (${file}:13) Did you mean "model"?`,
        `Unsupported config key: print.color (${file}:16)`,
      ],
    });
  });

  it("names the file and line of an entry in a list that several files give", async () => {
    using at = place();
    const own = at.file(
      "~/.scorel/config.toml",
      "[permissions]",
      "allow = [",
      '  "Read(a/**)",',
      '  "Bash(npm test",',
      "]",
    );
    at.file(".scorel/config.toml", "[permissions]", "", "", 'allow = ["Read(b/**)"]', 'deny = ["Read(c/**)"]');
    const { lines } = await problems(at, true);
    expect(lines).toEqual([
      expect.stringMatching(
        /^Invalid value of permissions.allow, entry 2: the rule "Bash\(npm test" can match nothing/,
      ),
    ]);
    expect(lines[0]).toMatch(`(${own}:4)`);
  });

  it("names each file of a list that several files give, and the file whose value counts", async () => {
    using at = place();
    const own = at.file("~/.scorel/config.toml", "[permissions]", 'allow = ["Read(a/**)"]', 'mode = "plan"');
    const project = at.file(".scorel/config.toml", "[permissions]", "", 'allow = ["Read(b/**)"]', 'mode = "full"');
    const { merged } = await resolved(at, true);
    expect(merged.placeOf(["permissions", "allow"])).toBe(`${own}:2, ${project}:3`);
    expect(merged.placeOf(["permissions", "allow", 1])).toBe(`${project}:3`);
    expect(merged.placeOf(["permissions", "mode"])).toBe(`${own}:3`);
  });

  it("is refused with all wrong values, and the layers that set them", async () => {
    using at = place();
    const user = at.file("~/.scorel/config.toml", "use = 3", "[tools]", 'preset = "everything"', "[agent]");
    const project = at.file(".scorel/config.toml", "[tools]", "allow = [1]");
    expect(await problems(at, true)).toEqual({
      code: "CONFIG_INVALID",
      lines: [
        expect.stringMatching(`^Invalid value of use: it must be a list, not the number 3 \\(${user}:1\\)$`),
        expect.stringMatching(
          `^Invalid value of tools.preset: it must be .*, not the text "everything" \\(${user}:3\\)$`,
        ),
        expect.stringMatching(
          `^Invalid value of tools.allow, entry 1: it must be a text, not the number 1 \\(${project}:2\\)$`,
        ),
      ],
    });
  });

  it("is refused with the value and what to write instead", async () => {
    using at = place();
    const file = at.file(
      "~/.scorel/config.toml",
      ...[
        'model = "openai/gpt-4o"',
        "[permissions]",
        'allow = "Bash"',
        'alow = ["Read"]',
        'mode = "edit"',
        'without = ["x"]',
      ],
      ...["[agent]", 'retries = "5"', "[images]", "maxBytes = -1"],
    );
    const { lines } = await problems(at);
    expect(lines).toEqual([
      `Invalid value of model: it must be a table, not the text "openai/gpt-4o"; write [model], and below it type = "builtin", provider = "openai" and id = "gpt-4o" (${file}:1)`,
      expect.stringMatching(
        `^Invalid value of permissions.mode: .*, not the text "edit"; did you mean "edits".* \\(${file}:5\\)$`,
      ),
      `Invalid value of permissions.allow: it must be a list, not the text "Bash"; write ["Bash"] (${file}:3)`,
      `Unsupported config key: permissions.alow (${file}:4) Did you mean "allow"?`,
      `Unsupported config key: permissions.without (${file}:6) It stands below [permissions] and so belongs to that table: put "without" above the first [table].`,
      `Invalid value of agent.retries: it must be a number, not the text "5"; write 5 without quotes (${file}:8)`,
      `Invalid value of images.maxBytes: it must be at least 10000, not the number -1 (${file}:10)`,
    ]);
  });

  it("is refused with what was meant by a misspelt key, and by the name of a preset in use", async () => {
    using at = place();
    at.file("~/.scorel/presets/team.toml", 'extends = "coding"');
    const file = at.file("~/.scorel/config.toml", 'extend = "readonly"', 'use = ["readonly", "team"]');
    expect((await problems(at)).lines).toEqual([
      `There is no plugin or extension "readonly" to use (${file}:2). It is a preset: write extends = "readonly".`,
      `There is no plugin or extension "team" to use (${file}:2). It is a preset: write extends = "team".`,
      `Unsupported config key: extend (${file}:1) Did you mean "extends"?`,
    ]);
  });

  it("is refused with the kinds of a table that there are", async () => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", "[model]", 'type = "costum"');
    expect((await problems(at)).lines).toEqual([
      `Invalid value of model.type: it must be "builtin" or "custom", not the text "costum"; did you mean "custom"? (${file}:2)`,
    ]);
  });

  it("is refused with the wrong entry of a list, counted from 1", async () => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", "[permissions]", 'deny = ["Bash", "Read",', '  "Bash("]');
    expect((await problems(at)).lines).toEqual([
      expect.stringMatching(
        `^Invalid value of permissions.deny, entry 3: the rule "Bash\\(" can match nothing: .* \\(${file}:3\\)$`,
      ),
    ]);
  });

  it.each([
    [
      ["[a]", "x = 1", "[b]", "[a]"],
      "4",
      "the table [a] is defined a second time (first in line 1); put all its keys below one [a]",
    ],
    [["[a]", "x = 1", "x = 2"], "3", "the key x is defined a second time; remove one of them"],
  ])("is refused with the table or key that stands there twice: %j", async (lines, line, reason) => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", ...lines);
    expect((await problems(at)).lines).toEqual([
      expect.stringContaining(`${file}:${line}:`) && expect.stringContaining(reason),
    ]);
  });

  it("gets notices about values that cannot work", async () => {
    using at = place();
    const lines = [
      'type = "custom"',
      'api = "openai-completions"',
      'provider = "p"',
      'id = "i"',
      "contextWindow = 9",
      "maxTokens = 9",
    ];
    const file = at.file(
      "~/.scorel/config.toml",
      "[tools]",
      'allow = ["Rread", "Mine"]',
      "[model]",
      'baseUrl = "127.0.0.1:9/v1"',
      ...lines,
    );
    const { notices } = await resolved(at);
    expect(notices.filter(({ text }) => text.includes(file))).toEqual([
      {
        code: "CONFIG_NO_EFFECT",
        text: `tools.allow names "Rread": did you mean "Read"? (${file}:2)`,
        where: `${file}:2`,
      },
      {
        code: "CONFIG_NO_EFFECT",
        text: `model.baseUrl has no scheme: it must start with "https://" or "http://" (${file}:4)`,
        where: `${file}:4`,
      },
    ]);
  });

  it("is refused with the keys that a table lacks", async () => {
    using at = place();
    const lines = [
      'type = "custom"',
      'api = "openai-completions"',
      'provider = "p"',
      'id = "i"',
      'baseUrl = "http://a"',
    ];
    const file = at.file("~/.scorel/config.toml", "[model]", ...lines, "maxTokens = 100");
    expect(await problems(at)).toEqual({
      code: "CONFIG_INVALID",
      lines: [`Invalid value of model.contextWindow: it is missing, a number is needed (${file}:1)`],
    });
  });

  it("is refused if it uses a plugin that does not exist, or contradicts itself", async () => {
    using at = place();
    const file = at.file("~/.scorel/config.toml", 'use = ["tolls",', '  "agent"]', 'without = ["agent"]');
    expect((await problems(at)).lines).toEqual([
      `"agent" is both in "use" and in "without" (${file}:2)`,
      `There is no plugin or extension "tolls" to use (${file}:1). Did you mean "tools"?`,
    ]);
  });

  it("of a project may not change host plugins", async () => {
    using at = place();
    const file = at.file(".scorel/config.toml", 'use = ["host"]', 'without = ["print"]', "[cli]", "[host]", "x = 1");
    const refused = (id: string, line: number) =>
      `"${id}" runs once per process, so a project cannot change it. Move this to ~/.scorel/config.toml or your own preset (${file}:${line})`;
    const found = await problems(at, true);
    expect(found.lines.slice(0, 4)).toEqual([
      refused("cli", 3),
      refused("host", 4),
      refused("host", 1),
      refused("print", 2),
    ]);
    at.file(".scorel/config.toml", "[cli]");
    expect(await problems(at, true)).toEqual({ code: "CONFIG_SCOPE", lines: [refused("cli", 1)] });
  });

  it("of a project is not even parsed before it is trusted, and a notice says so", async () => {
    using at = place();
    const file = at.file(".scorel/config.toml", "= = =");
    const { notices, merged } = await resolved(at);
    expect(merged.layers.map((layer) => layer.file)).not.toContain(file);
    expect(notices).toEqual([{ code: "TRUST", text: "not trusted" }]);
  });

  it("may have tables of plugins that are not shipped: each gets one notice", async () => {
    using at = place();
    const file = at.file(
      "~/.scorel/config.toml",
      'without = ["channels", "nothing"]',
      "[channels]",
      'enabled = ["cli"]',
      "[extensions]",
      'disabled = ["experimental-memory"]',
    );
    expect(textsOf(await resolved(at))).toEqual([
      `"nothing" is switched off, but there is no such plugin or extension (${file}:1).`,
      `"experimental-memory" is switched off, but there is no such plugin or extension (${file}:5).`,
      `[channels] has no effect yet: no such plugin is part of this version (${file}:2)`,
    ]);
  });

  it("may have tables of extensions on disk, even if they are not loaded", async () => {
    using at = place();
    at.file("~/.scorel/extensions/mine.ts", "this does not even compile");
    at.file("~/.scorel/extensions/off/index.js", "");
    at.file(".scorel/extensions/theirs.mts", "");
    const file = at.file(
      "~/.scorel/config.toml",
      'use = ["mine", "theirs"]',
      'without = ["off"]',
      "[mine]",
      "anything = 1",
      "[off]",
      "anything = 1",
      "[theirs]",
      "anything = 1",
    );
    const resolution = await resolved(at);
    const { extensions } = resolution;
    expect(extensions.map(({ id }) => id)).toEqual(["mine"]);
    expect(textsOf(resolution).slice(1)).toEqual([
      `"theirs" is not used: the extension is part of a project that is not trusted (${file}:1)`,
      `[off] is not checked: the extension is switched off (${file}:5)`,
      `[theirs] is not checked: the extension is part of a project that is not trusted (${file}:7)`,
    ]);
  });
});

describe("permissions in layers", () => {
  const permissions = async (at: Place, trusted: boolean) => (await resolved(at, trusted)).merged.tables.permissions;
  const lines = (mode: string | undefined, allow: string, deny: string) => [
    "[permissions]",
    ...(mode === undefined ? [] : [`mode = "${mode}"`]),
    `allow = ["${allow}"]`,
    `deny = ["${deny}"]`,
  ];

  it("are joined, and those of a project count if it is trusted", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", ...lines("edits", "Bash(a)", "Bash(b)"));
    at.file(".scorel/config.toml", ...lines("ask", "Bash(c)", "Bash(d)"));
    expect(await permissions(at, false)).toEqual({ mode: "edits", allow: ["Bash(a)"], deny: ["Bash(b)"] });
    const joined = { allow: ["Bash(a)", "Bash(c)"], deny: ["Bash(b)", "Bash(d)"] };
    expect(await permissions(at, true)).toEqual({ mode: "ask", ...joined });
  });

  it.each([
    ["edits", "full", "edits"],
    ["ask", "edits", "ask"],
    ["full", "plan", "plan"],
    [undefined, "full", undefined],
    [undefined, "edits", undefined],
    [undefined, "plan", "plan"],
  ])("with the user's mode %s and the project's %s have the mode %s", async (user, project, mode) => {
    using at = place();
    at.file("~/.scorel/config.toml", ...lines(user, "Bash(a)", "Bash(b)"));
    at.file(".scorel/config.toml", "[permissions]", `mode = "${project}"`);
    const lists = { allow: ["Bash(a)"], deny: ["Bash(b)"] };
    expect(await permissions(at, true)).toEqual({ ...(mode !== undefined && { mode }), ...lists });
  });

  it("cannot be left out by a project", async () => {
    using at = place();
    at.file(".scorel/config.toml", 'without = ["permissions"]', "[extensions]", 'disabled = ["requests"]');
    expect(await problems(at, true)).toMatchObject({ code: "CONFIG_SCOPE" });
    expect((await problems(at, true)).lines.join()).toMatch(/"permissions" enforces .*"requests" enforces /s);
  });

  it("cannot be left out or widened by a preset of the user that a project chooses", async () => {
    using at = place();
    const loose = at.file("~/.scorel/presets/loose.toml", 'without = ["permissions"]');
    at.file(".scorel/config.toml", 'extends = "loose"');
    expect(await problems(at, true)).toEqual({
      code: "CONFIG_SCOPE",
      lines: [expect.stringMatching(new RegExp(`^"permissions" enforces .* \\(${loose}:1\\)$`))],
    });
    at.file("~/.scorel/presets/loose.toml", "[permissions]", 'mode = "full"');
    at.file("~/.scorel/config.toml", "[permissions]", 'mode = "edits"');
    expect(await permissions(at, true)).toEqual({ mode: "edits" });
    at.file("~/.scorel/config.toml");
    expect((await resolved(at, true, "loose")).merged.tables.permissions).toEqual({ mode: "full" });
    at.file("~/.scorel/presets/loose.toml", "[permissions]", 'mode = "ask"');
    expect(await permissions(at, true)).toEqual({ mode: "ask" });
  });

  it("also apply in a project's preset, unless the user has left them out", async () => {
    using at = place();
    at.file(".scorel/presets/bare.toml", 'extends = "base"', 'without = ["commands"]', 'use = ["coding"]');
    const used = async () => [...(await resolved(at, true, "bare")).merged.use.keys()];
    expect(await used()).toEqual(expect.arrayContaining(["coding", "requests", "permissions"]));
    at.file("~/.scorel/config.toml", 'without = ["permissions"]');
    expect(await used()).not.toContain("permissions");
  });

  it("also apply if a project widens a preset without permissions", async () => {
    using at = place();
    at.file("~/.scorel/presets/looking.toml", 'extends = "base"', 'use = ["coding"]', "[tools]", 'preset = "readonly"');
    const used = async () => (await resolved(at, true, "looking")).merged.use.has("permissions");
    expect(await used()).toBe(false);
    at.file(".scorel/config.toml", "[tools]", 'preset = "all"');
    expect(await used()).toBe(true);
  });

  it("are refused if they are not valid rules", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[permissions]", 'allow = ["Bash(git"]');
    expect((await problems(at)).lines.join()).toContain(
      'it must name a tool, and may have a pattern in parentheses, as in "Bash(git status*)"',
    );
  });
});

describe("an option that only the user's layers may set", () => {
  it("is not changed by a project, whatever it sets", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", "[permissions]", 'readers = ["mine"]');
    at.file(".scorel/config.toml", "[permissions]", 'readers = ["read"]');
    const { merged } = await resolved(at, true, "coding");
    expect(merged.tables.permissions).toEqual({ readers: ["mine"] });
    at.file("~/.scorel/config.toml", "");
    expect((await resolved(at, true, "coding")).merged.tables.permissions).toEqual({});
  });

  it("can be set in a file for one project, named by its id, which still applies after the project moves", async () => {
    using at = place();
    const project = { projectId: "abc123", name: "p", directory: at.project, createdAt: 0 };
    const book = (directory: string) =>
      at.file("~/.scorel/projects.json", JSON.stringify({ version: 1, projects: [{ ...project, directory }] }));
    at.file("~/.scorel/config.toml", "[permissions]", 'allow = ["Bash(a)"]');
    at.file("~/.scorel/projects/abc123.toml", "[permissions]", 'allow = ["Bash(b)"]');
    const allowed = async () => (await resolved(at, false, "coding")).merged.tables.permissions;
    book(at.project);
    expect(await allowed()).toEqual({ allow: ["Bash(a)", "Bash(b)"] });
    book(at.home);
    expect(await allowed()).toEqual({ allow: ["Bash(a)"] });
  });
});

const textsOf = ({ notices }: Pick<Resolution, "notices">) => notices.map(({ text }) => text);
