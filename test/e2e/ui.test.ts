import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { delayUntil, gate, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type Terminal, terminal } from "./pty.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

/** An extension that asks and informs the user in every possible place. */
const DEPLOYER = `
const parameters = { type: "object", properties: {} };
const say = (text) => ({ content: [{ type: "text", text: String(text) }] });
export default {
  id: "deployer", name: "Deployer", version: "1.0.0",
  tools: ({ ui }) => [{
    name: "Deploy", description: "Deploys.", parameters, access: () => "read",
    async execute() {
      ui.status("on its \\u001b[31mway");
      const where = await ui.select("Where to?", ["staging", { value: "live", label: "Production (eu)" }], { default: "staging" });
      const sure = await ui.confirm("Sure?", { details: "$ deploy " + where });
      const note = await ui.input("Note?", { default: "none" });
      ui.notify("Deployed to " + where + ".", "warning");
      return say([where, sure, note].join(" "));
    },
  }],
  commands: ({ ui }) => ({
    which: { summary: "Ask one", run: async () => "chosen: " + await ui.select("Which?", ["red", "green"]) },
    both: {
      summary: "Ask two at once",
      run: async () => "both: " + (await Promise.all([ui.confirm("First?"), ui.confirm("Second?")])).join(),
    },
    path: { summary: "Ask for words", run: async () => "path: " + await ui.input("Which file?") },
  }),
  async onEvent({ type, name }, { ui }) {
    if (type === "session_start") ui.notify("Deployer is here.");
    if (type === "prompt_submit") await ui.confirm("Really?");
  },
};
`;

/** A home with the extension, and a model that plays these replies. */
async function stage(replies: readonly Reply[], extension = DEPLOYER) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl);
  s.file("~/.scorel/extensions/deployer.js", extension);
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { server, [Symbol.asyncDispose]: dispose });
}
const quiet = DEPLOYER.replace(/ {2}async onEvent[\s\S]*?\n {2}\},\n/, "");
const log = (s: Scratch) => records(s.logs()[0] as string);
const answers = (s: Scratch) =>
  log(s).flatMap(({ type, answer, reason }) => (type === "approval_answer" ? [{ answer, reason }] : []));
const said = (s: Scratch, role: string) =>
  log(s).flatMap(({ message }) => ((message as any)?.role === role ? [(message as any).content] : []));
const halves = (text: string) => [text.slice(0, 120), text.slice(120)].map((row) => row.trimEnd());
async function leave(t: Terminal) {
  t.type("/exit\r");
  expect(await t.code).toBe(0);
}
/** Resolves when the process that wrote the session has closed it. */
const closed = (s: Scratch) =>
  expect.poll(() => existsSync(s.logs()[0]?.replace(".jsonl", ".lock") as string), { timeout: 10_000 }).toBe(false);
const results = (s: Scratch) =>
  log(s).flatMap(({ message }) =>
    (message as { role?: string })?.role === "tool_result" ? [(message as any).content[0].text] : [],
  );

describe("a question that nobody can answer", () => {
  const deploy = toolCall("Deploy", {});

  it("gets its default at once, and is reported once at the end of a headless run", async () => {
    await using s = await stage([[deploy, deploy], text("Done.")]);
    const { code, stdout, stderr } = await s.run(["-p", "go"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "Done.\n",
      stderr: [
        "deployer: Deployer is here.",
        "warning: deployer: Deployed to staging.",
        "warning: deployer: Deployed to staging.",
        'Nobody was there to answer "Really?" (deployer): no',
        'Nobody was there to answer "Where to?" (deployer): staging',
        'Nobody was there to answer "Sure?" (deployer): no',
        'Nobody was there to answer "Note?" (deployer): none',
        "",
      ].join("\n"),
    });
    expect([results(s), answers(s)]).toEqual([["staging false none", "staging false none"], []]);
  });

  it("is an event of the JSON output, as are notices and statuses", async () => {
    await using s = await stage([[deploy], text("Done.")], quiet);
    const { stdout } = await s.run(["-p", "go", "--output", "events"]);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const told = ["plugin_status", "notification", "request_defaulted"];
    expect(
      events
        .filter(({ type }) => told.includes(String(type)))
        .map(({ type, text: words, title, answer }) =>
          [type, words ?? title, answer].filter((part) => part !== undefined),
        ),
    ).toEqual([
      ["plugin_status", "on its way"],
      ["request_defaulted", "Where to?", "staging"],
      ["request_defaulted", "Sure?", "n"],
      ["request_defaulted", "Note?", "none"],
      ["notification", "Deployed to staging."],
      ["plugin_status"],
    ]);
  });

  it("is reported by a command in a script", async () => {
    await using s = await stage([text("Done.")], quiet);
    await s.run(["-p", "go"]);
    const id = /(\w+)\.jsonl$/.exec(s.logs()[0] as string)?.[1] as string;
    expect(await s.run(["session", "run", id, "/which"])).toMatchObject({
      code: 0,
      stdout: "chosen: undefined\n",
      stderr: 'Nobody was there to answer "Which?" (deployer): no answer\n',
    });
  });

  it("is reported by a conversation whose input is a pipe", async () => {
    await using s = await stage([]);
    const { code, stdout } = await s.run(["chat"], { input: "/which\n" });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        '  deployer: Deployer is here.\n  Nobody was there to answer "Which?" (deployer): no answer\n  chosen: undefined\n',
    });
  });
});

describeWith("script", "a question in a terminal", () => {
  it("can be answered by number, word, y or n, text, or Enter for its default", async () => {
    await using s = await stage([toolCall("Deploy", {}), text("Done.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("go\r");
    await t.shows("· deployer: on its way");
    await t.shows("Where to? (deployer)\r\n  1 staging\r\n  2 Production (eu)\r\n[1-2; Enter: staging] ");
    t.type("3\r");
    await t.shows("Please answer ");
    t.type("prod\r");
    await t.shows("Sure? (deployer)\r\n    $ deploy live\r\n  y = yes\r\n  n = no\r\n[y, n; Enter: n] ");
    t.type("Y\r");
    await t.shows("Note? (deployer)\r\n[type the answer; Enter: none] ");
    t.type("/a/path is fine\r");
    await t.shows("warning: deployer: Deployed to live.");
    await t.shows("live true /a/path is fine");
    await t.shows("Done.");
    await t.shows(" s]");
    await t.shows("[deployer: on its way] > ");
    for (const [typed, chosen] of [
      ["2", "green"],
      ["RED", "red"],
    ]) {
      t.type("/which\r");
      await t.shows("[1-2] ");
      t.type(`${typed}\r`);
      await t.shows(`chosen: ${chosen}`);
    }
    await leave(t);
    expect(answers(s).map(({ answer }) => answer)).toEqual(["live", "y", "/a/path is fine", "green", "red"]);
  }, 30_000);

  it("gets its default on Ctrl-C, and the conversation goes on", async () => {
    await using s = await stage([text("Still here.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/which\r");
    await t.shows("Which? (deployer)");
    await t.shows("[1-2] ");
    t.type("gre\u0003");
    await t.shows("Not answered: the question was left");
    await t.shows("chosen: undefined");
    t.type("hello\r");
    await t.shows("Still here.");
    await leave(t);
  }, 30_000);

  it("gets its default when the user leaves with Ctrl-D", async () => {
    await using s = await stage([], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/which\r");
    await t.shows("[1-2] ");
    t.type("\u0004");
    await t.shows("chosen: undefined");
    expect(await t.code).toBe(0);
    expect(answers(s)).toEqual([{ answer: null, reason: "nobody is there any more to answer" }]);
  }, 30_000);

  it("gets its default when the terminal is closed", async () => {
    await using s = await stage([toolCall("Deploy", {}), text("Done.")], quiet);
    {
      await using t = terminal(s);
      await t.shows("> ");
      t.type("go\r");
      await t.shows("Where to?");
    }
    await closed(s);
    expect(answers(s)).toMatchObject([{ answer: null }]);
  }, 30_000);

  it("waits until the previous question is answered", async () => {
    await using s = await stage([], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/both\r");
    await t.shows("First? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    expect(t.screen()).not.toContain("Second?");
    t.type("y\r");
    await t.shows("Second? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    t.type("\r");
    await t.shows("both: true,false");
    await leave(t);
  }, 30_000);

  it("stays readable while a reply streams in, and does not change the typed text", async () => {
    const [typed, asked] = [gate(), gate()];
    const reply = [text("One "), delayUntil(typed.promise), text("two "), delayUntil(asked.promise), text("three.")];
    const onDelta = DEPLOYER.replace("{ type, name }", "{ type, delta }").replace(
      'type === "prompt_submit"',
      'type === "text_delta" && delta === "two "',
    );
    await using s = await stage([reply, text("Next.")], onDelta);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("go\r");
    await t.shows("One ");
    t.type("and th");
    await t.shows("and th");
    typed.open();
    await t.shows("Really? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    asked.open();
    await expect.poll(() => said(s, "assistant").length).toBe(1);
    expect(t.screen()).not.toContain("three.");
    t.type("y\r");
    await t.shows("three.");
    await t.shows("> and th");
    t.type("en\r");
    await t.shows("Next.");
    expect(said(s, "user")).toEqual(["go", "and then"]);
    await leave(t);
  }, 30_000);

  it("overwrites no row above it, however long the typed text is", async () => {
    const later = quiet.replace(
      "both: {",
      `later: { summary: "Ask later", run: () => {
        setTimeout(() => ui.confirm("Really?").then((sure) => { ui.notify("really: " + sure); ui.status("asked"); }), 300);
        return "in a moment";
      } },
      both: {`,
    );
    await using s = await stage([], later);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/later\r");
    await t.shows("in a moment");
    const draft = "a draft that is rather long ".repeat(6).trim();
    t.type(draft);
    await t.shows("Really? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    t.type("y\r");
    await t.shows("deployer: really: true");
    await t.shows("[deployer: asked] > ");
    await expect
      .poll(() => t.rows().slice(1))
      .toEqual([
        "> /later",
        "  in a moment",
        "Really? (deployer)",
        "  y = yes",
        "  n = no",
        "[y, n; Enter: n] y",
        "  deployer: really: true",
        ...halves(`[deployer: asked] > ${draft}`),
      ]);
    t.type("\u0015");
    await leave(t);
  }, 30_000);

  it("stays open in its session when the user switches to another one", async () => {
    const bare = quiet.replace("which: {", 'bg: { run: () => void ui.confirm("Still there?") },\n    which: {');
    await using s = await stage([text("Hello.")], bare);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/bg\r");
    await t.shows("Still there? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    t.type("/new\r");
    await t.shows("New session · ");
    await t.shows("> ");
    t.type("hi\r");
    await t.shows("Hello.");
    await leave(t);
  }, 30_000);

  it("is asked again, once, when the session is reopened", async () => {
    const early = DEPLOYER.replace('ui.notify("Deployer is here.")', 'void ui.confirm("Begin?")');
    await using s = await stage([], early);
    await using t = terminal(s);
    await t.shows("Begin? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    t.type("y\r");
    await t.shows("> ");
    t.type("/reload\r");
    await t.shows("Reloaded · ");
    await t.shows("Begin? (deployer)");
    await t.shows("[y, n; Enter: n] ");
    t.type("n\r");
    await t.shows("> ");
    await leave(t);
    expect(t.screen().split("Begin? (deployer)").length).toBe(3);
    expect(answers(s).map(({ answer }) => answer)).toEqual(["y", "n"]);
  }, 30_000);

  it("of a running turn ends with the turn on Ctrl-C, and queued messages return to the prompt", async () => {
    await using s = await stage([toolCall("Deploy", {}), text("Done.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("go\r");
    await t.shows("Where to?");
    t.type("\u0003");
    await t.shows("(cancelled");
    expect(answers(s)).toEqual([{ answer: null, reason: "it was withdrawn" }]);
    await leave(t);
  }, 30_000);
});

describeWith("script", "a call that needs permission, in a terminal", () => {
  const touch = (name: string) => toolCall("Bash", { command: `touch ${name}` });
  const PROMPT = "[y, s, a, e, n] ";
  const made = (s: Scratch, name: string) => existsSync(join(s.project, name));

  it("runs only if the user agrees; otherwise the model gets the reason", async () => {
    await using s = await stage([[touch("one"), touch("two"), touch("three")], text("Done.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("go\r");
    await t.shows("    $ touch one\r\n  y = yes, this once");
    await t.shows(PROMPT);
    t.type("\r");
    await t.shows("Please answer ");
    t.type("y\r");
    await t.shows("$ touch two");
    await t.shows(PROMPT);
    t.type("n not today\r");
    await t.shows("You said no: not today");
    await t.shows("$ touch three");
    await t.shows(PROMPT);
    t.type("Y\r");
    await t.shows("Done.");
    expect(["one", "two", "three"].map((name) => made(s, name))).toEqual([true, false, true]);
    expect(results(s).join()).toContain("the user said no: not today");
    await leave(t);
  }, 30_000);

  it("does not run when the turn is cancelled or the terminal is closed", async () => {
    await using s = await stage([touch("one"), touch("two"), text("Done.")], quiet);
    {
      await using t = terminal(s);
      await t.shows("> ");
      t.type("go\r");
      await t.shows(PROMPT);
      t.type("\u0003");
      await t.shows("(cancelled");
      t.type("again\r");
      await t.shows("$ touch two");
      await t.shows(PROMPT);
    }
    await closed(s);
    expect(answers(s)).toMatchObject([{ answer: null }, { answer: null }]);
    expect([made(s, "one"), made(s, "two")]).toEqual([false, false]);
  }, 30_000);
});

describeWith("script", "a conversation in a terminal", () => {
  it("clears the typed text on Ctrl-C, and ends on Ctrl-C at an empty line", async () => {
    await using s = await stage([text("Hello.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("half a th");
    await t.shows("half a th");
    t.type("\u0003");
    await t.shows("> ");
    expect(t.rows().at(-1)?.trimEnd()).toMatch(/> ?$/);
    t.type("whole\r");
    await t.shows("Hello.");
    await t.shows("> ");
    expect(said(s, "user")).toEqual(["whole"]);
    t.type("\u0003");
    expect(await t.code).toBe(0);
  }, 30_000);

  it("returns queued messages of a cancelled turn to the prompt", async () => {
    const never = gate();
    await using s = await stage([[text("Well"), delayUntil(never.promise)], text("Hello.")], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("go\r");
    await t.shows("Well");
    for (const line of ["say hel", "lo"]) {
      t.type(`${line}\r`);
      await t.shows("(queued:");
    }
    t.type("\u0003");
    await t.shows("(your queued messages were taken back)");
    await t.shows("> say hel lo");
    never.open();
    t.type("!\r");
    await t.shows("Hello.");
    expect(said(s, "user")).toEqual(["go", "say hel lo!"]);
    await leave(t);
  }, 30_000);

  it("names a new session once", async () => {
    await using s = await stage([], quiet);
    await using t = terminal(s);
    await t.shows("> ");
    t.type("/new\r");
    await t.shows("New session · ");
    await t.shows("> ");
    await leave(t);
    expect(t.screen().match(/New session (?:\w+ )?·/g)?.length).toBe(2);
  }, 30_000);
});
