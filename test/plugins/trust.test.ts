import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import trustPlugin from "@scorel/trust";
import type { HeldExtension, TrustReview, TrustService } from "@scorel/trust/contract";
import { describe, expect, it } from "vitest";
import { trustCommands } from "../../plugins/trust/commands.ts";
import { testKernel } from "../harness.ts";

const held: HeldExtension = { id: "mine", path: "/home/ann/.scorel/extensions/mine.ts", sessionId: "S1", files: {} };

/** A home with one project and one extension to confirm. */
function machine(more: Partial<TrustReview> = {}) {
  const done: string[] = [];
  const review: TrustReview = {
    path: "/p",
    folders: ["/p/.scorel"],
    parts: [{ folders: ["/p/.scorel"], state: more.changes ? "changed" : "new" }],
    items: [
      { kind: "code", what: "extension hook", place: ".scorel/extensions/hook.ts" },
      { kind: "weakens", what: "switches off coding", place: ".scorel/config.toml:1" },
      { kind: "redirect", what: 'model.baseUrl = "http://x": goes there', place: ".scorel/config.toml:3" },
      { kind: "other", what: "a file\u001b]0;title\u0007", place: ".scorel/x" },
    ],
    texts: () => [{ path: ".scorel/config.toml", text: "without = []\u001b[2J\n" }],
    accept: async () => void done.push("accept"),
    ...more,
  };
  const service: TrustService = {
    review: async (cwd) => (cwd === "/p" ? review : undefined),
    list: async () => [{ path: "/p", state: "changed", since: "2026-01-02T03:04:05.000Z" }],
    trustByPath: async (cwd) => cwd,
    remove: async (cwd) => (cwd === "/p" ? cwd : undefined),
    held: async () => (done.includes("confirm") ? [] : [held]),
    confirm: async () => void done.push("confirm"),
    forget: async (extension) => extension === "mine",
    tell: async () => {},
  };
  return { done, service };
}

/** A person who types these lines, one for each question. */
function person(lines: string[], cwd = "/p", isTTY = true) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let seen = "";
  let asked = 0;
  stdout.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
    const questions = seen.match(/(\[y\/N\]|\[s\]how:) $|(\[y\/N\]|\[s\]how:) /g)?.length ?? 0;
    if (questions <= asked) return;
    asked = questions;
    const line = lines.shift();
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  const invocation = {
    args: [],
    options: {},
    cwd,
    stdin: Object.assign(stdin, { isTTY }),
    stdout: Object.assign(stdout, { isTTY }),
    interrupt: new AbortController().signal,
  } as unknown as Invocation;
  return { invocation, screen: () => seen };
}

async function ask(m: ReturnType<typeof machine>, who: ReturnType<typeof person>): Promise<void> {
  await using t = await testKernel([trustPlugin], { services: { trust: m.service } });
  await t.kernel.find("trustQuestion")?.ask(who.invocation);
}

describe("the trust question at start", () => {
  it("lists what weakens and redirects first, and accepts a yes", async () => {
    const m = machine();
    const who = person(["n", "y"]);
    await ask(m, who);
    expect(m.done).toEqual(["accept"]);
    const listed = who
      .screen()
      .split("\n")
      .filter((line) => /^ {2}\S|:$/.test(line));
    expect(listed.slice(2)).toEqual([
      "changes what keeps you safe:",
      "  switches off coding  (.scorel/config.toml:1)",
      "sends your prompts and keys elsewhere:",
      '  model.baseUrl = "http://x": goes there  (.scorel/config.toml:3)',
      "runs code with your rights:",
      "  extension hook  (.scorel/extensions/hook.ts)",
      "also contains:",
      expect.stringContaining("a file"),
    ]);
  });

  it.each([["n"], [""], ["what?"], ["yess"]])("counts %j as no", async (answer) => {
    const m = machine();
    await ask(m, person(["n", answer]));
    expect(m.done).toEqual([]);
  });

  it("counts the end of the input as no", async () => {
    const m = machine();
    await ask(m, person([]));
    expect(m.done).toEqual([]);
  });

  it("shows the texts as often as requested, without escape sequences", async () => {
    const m = machine();
    const who = person(["n", "show", "s", "y"]);
    await ask(m, who);
    expect(who.screen().match(/--- \.scorel\/config\.toml\nwithout = \[\]/g)).toHaveLength(2);
    expect(["\u001b]0;", "\u001b[2J"].filter((sequence) => who.screen().includes(sequence))).toEqual([]);
    expect(who.screen()).toContain("a file\\u{1b}]0;title\\u{7}");
    expect(who.screen()).toContain("without = []\\u{1b}[2J");
    expect(m.done).toEqual(["accept"]);
  });

  it("repeats the number of items of each kind if the list may have scrolled away", async () => {
    const skills = Array.from({ length: 40 }, (_, at) => ({
      kind: "skill" as const,
      what: `s${at}`,
      place: `s${at}/x`,
    }));
    const code = { kind: "code" as const, what: "extension hook", place: ".scorel/extensions/hook.ts" };
    const who = person(["n", "n"]);
    await ask(machine({ items: [code, ...skills] }), who);
    expect(who.screen()).toContain("\nIn all: runs code with your rights 1, adds skills 40.\n");
  });

  it("names changed files, with a diff", async () => {
    const who = person(["n", "n"]);
    const changes = [{ path: ".scorel/config.toml", how: "changed" as const, diff: "-a\n+b" }];
    await ask(machine({ changes }), who);
    expect(who.screen()).toContain(
      "/p/.scorel: changed since you trusted it\n  changed  .scorel/config.toml\n    -a\n    +b\n",
    );
  });

  it("only counts what is in files that were trusted before and have not changed, and `trust add` lists it", async () => {
    const command = { kind: "command" as const, what: "/fix", place: ".scorel/commands/fix.md" };
    const known = Array.from({ length: 40 }, (_, at) => ({
      ...{ kind: "skill" as const, what: `s${at}`, place: `.scorel/skills/s${at}/SKILL.md` },
      isKnown: true as const,
    }));
    const changes = [{ path: ".scorel/commands/fix.md", how: "changed" as const, diff: "-a\n+b" }];
    const m = machine({ changes, items: [command, ...known] });
    const who = person(["n", "n"]);
    await ask(m, who);
    const shown = [
      "/p/.scorel: changed since you trusted it",
      "  changed  .scorel/commands/fix.md",
      "    -a",
      "    +b",
      "adds commands:",
      "  /fix  (.scorel/commands/fix.md)",
      "In files that have not changed: adds skills 40. To list them: scorel trust add\n",
    ];
    expect(who.screen()).toContain(shown.join("\n"));
    const asked = person(["n"]);
    const add = trustCommands(m.service).find(({ action }) => action === "add");
    await add?.run(asked.invocation);
    expect(asked.screen()).toContain("  s39  (.scorel/skills/s39/SKILL.md)\n");
  });

  it("asks about extensions that are held back, and names the session", async () => {
    const m = machine();
    const who = person(["y"], "/elsewhere");
    await ask(m, who);
    expect(who.screen()).toContain("  /home/ann/.scorel/extensions/mine.ts (session S1)\n");
    expect(m.done).toEqual(["confirm"]);
  });

  it("is not asked in scripts", async () => {
    const m = machine();
    const who = person(["y", "y"], "/p", false);
    await ask(m, who);
    expect({ done: m.done, screen: who.screen() }).toEqual({ done: [], screen: "" });
  });
});

describe("scorel trust", () => {
  it.each([
    ["lst", `"scorel trust" has no action "lst". Did you mean "list"? \`scorel trust --help\` lists them all.`],
    ["../other", expect.stringContaining("scorel trust --dev [path]")],
  ])("without --dev says what was meant by %j", async (word, message) => {
    const command = trustCommands(machine().service).find(({ action }) => action === undefined);
    const { invocation } = person([]);
    await expect(command?.run({ ...invocation, args: [word] })).rejects.toMatchObject({ code: "TRUST_HOW", message });
  });
});

describe("scorel trust confirm", () => {
  const run = async (m: ReturnType<typeof machine>, who: ReturnType<typeof person>, yes = false, ...args: string[]) => {
    const command = trustCommands(m.service).find(({ action }) => action === "confirm");
    try {
      return await command?.run({ ...who.invocation, args, options: { yes } });
    } catch (thrown) {
      return (thrown as { code?: string }).code;
    }
  };
  const shown = "not loaded:\n  /home/ann/.scorel/extensions/mine.ts (session S1)\n";

  it("shows what is held back, and loads it after a yes, or with --yes in scripts", async () => {
    const cases = [
      { who: person(["y"]), yes: false, answer: 0, done: ["confirm"] },
      { who: person(["n"]), yes: false, answer: 1, done: [] },
      { who: person([]), yes: true, answer: 0, done: ["confirm"] },
      { who: person([], "/p", false), yes: true, answer: 0, done: ["confirm"] },
      { who: person([], "/p", false), yes: false, answer: "TRUST_CONFIRM", done: [] },
    ];
    for (const { who, yes, answer, done } of cases) {
      const m = machine();
      expect([await run(m, who, yes), m.done]).toEqual([answer, done]);
      expect(who.screen()).toContain(shown);
    }
  });

  it("accepts the name of one, and reports when it or nothing is held back", async () => {
    const m = machine();
    expect(await run(m, person([]), true, "other")).toBe("TRUST_NOT_HELD");
    expect(m.done).toEqual([]);
    expect(await run(m, person([]), true, "mine")).toBe(0);
    const who = person([]);
    expect(await run(m, who, true)).toBe(0);
    expect(who.screen()).toBe("No extension of yours is held back.\n");
  });
});
