import { expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text, thinking, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type FullScreen, fullScreen } from "./full-screen.ts";
import { scratch } from "./scorel.ts";

/** Sequences that a terminal sends, by the names that people read. */
const keys: Readonly<Record<string, string>> = {
  "?": "?",
  "/": "/",
  "@": "@",
  Enter: "\r",
  Esc: "\u001b",
  Tab: "\t",
  PageUp: "\u001b[5~",
  PageDown: "\u001b[6~",
  "Shift-Tab": "\u001b[Z",
  "Alt-Enter": "\u001b\r",
  "Alt-,": "\u001b,",
  "Alt-P": "\u001bp",
  "Alt-R": "\u001br",
  "Alt-S": "\u001bs",
  "Alt-V": "\u001bv",
  "Ctrl-C": "\u0003",
  "Ctrl-D": "\u0004",
  "Ctrl-End": "\u001b[1;5F",
  "Ctrl-O": "\u000f",
  "Ctrl-R": "\u0012",
  "Ctrl-T": "\u0014",
};
/** The most keys that a person should need for a task. */
const MOST = 3;
const [COLUMNS, ROWS] = [100, 30];

/** A person who knows only what the screen shows, and what they have read in the help. */
class Newcomer {
  private readonly t: FullScreen;
  private read = "";
  private pressed = 0;
  /** Names of completed tasks. */
  readonly done: string[] = [];

  constructor(t: FullScreen) {
    this.t = t;
  }

  /** Does a task, and checks that it takes few keys. */
  async task(name: string, work: () => Promise<void>) {
    this.pressed = 0;
    try {
      await work();
    } catch (thrown) {
      throw new Error(`${name}: ${(thrown as Error).message}`);
    }
    expect(this.pressed, name).toBeLessThanOrEqual(MOST);
    this.done.push(name);
  }

  press(...names: readonly string[]) {
    for (const name of names) {
      const words = `${this.t.screen.text()}\n${this.read}`.split(/[\s()]+/);
      const isShown = words.includes(name) || words.includes(`${name},`);
      expect(isShown, `${name} is neither on the screen nor in the help:\n${this.t.screen.text()}`).toBe(true);
      this.pressed++;
      this.t.type(keys[name] as string);
    }
  }

  /** Types a command that the help lists. */
  command(name: string) {
    expect(this.read).toContain(`/${name.split(" ")[0]}`);
    this.t.type(`/${name}`);
  }

  /** Reads the help, in a window with enough rows for all of it. */
  async readHelp() {
    this.t.resize(COLUMNS, 150);
    await this.t.shows("/tree");
    await this.t.shows(/PageDown scroll$/);
    this.read = this.t.screen.text();
    this.t.resize(COLUMNS, ROWS);
    await this.t.hides("/tree");
    await this.t.shows(/^Keys and commands.*PageDown scroll$/s);
  }
}

const bash = toolCall("Bash", { command: "seq 101 116" });
const pasted = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");

describeWith("script", "twenty tasks", () => {
  it("are done with keys that the screen or the help names, three at most for each", async () => {
    using s = scratch();
    const [steered, never] = [gate(), gate()];
    await using server = await startModelServer([
      text("One."),
      [thinking("A deep thought."), bash],
      text("Two."),
      text("Three."),
      [text("Working."), delayUntil(steered.promise), toolCall("Glob", { pattern: "*" })],
      [text("I see."), delayUntil(never.promise)],
      text("Five."),
    ]);
    s.useModel(server.baseUrl);
    s.file("notes/shopping.md", "tea");
    await using t = fullScreen(s, [], {
      columns: COLUMNS,
      rows: ROWS,
      // With a key, there are models to choose from.
      env: { ANTHROPIC_API_KEY: "sk-never-sent" },
    });
    await t.shows("scripted-model");
    const person = new Newcomer(t);
    const say = async (words: string) => {
      t.type(words);
      await t.shows(`> ${words}`);
      person.press("Enter");
    };
    await person.task("open the help", async () => {
      person.press("?");
      await t.shows("Keys and commands");
      await person.readHelp();
    });
    await person.task("close the help", async () => {
      person.press("Esc");
      await t.hides("Keys and commands");
    });
    await person.task("send a message", async () => {
      await say("first words");
      await t.shows("One.");
    });
    await person.task("write two lines", async () => {
      t.type("above");
      person.press("Alt-Enter");
      t.type("below");
      await t.shows(/> above\n {2}below/);
    });
    await person.task("clear the field", async () => {
      person.press("Ctrl-C");
      await t.hides("above");
    });
    await person.task("allow everything from now on", async () => {
      person.command("permission full");
      person.press("Enter");
      await t.shows("full · scripted-model");
    });
    await say("second words");
    await t.shows("Two.");
    await person.task("see all of an output", async () => {
      person.press("Ctrl-O");
      await t.shows("│ 105");
    });
    await person.task("see what the model thought", async () => {
      person.press("Ctrl-T");
      await t.shows("A deep thought.");
    });
    await person.task("look at earlier messages", async () => {
      person.press("PageUp", "PageUp");
      await t.shows("▌ first words");
    });
    await person.task("return to the end", async () => {
      person.press("Ctrl-End");
      await t.shows("Two.");
    });
    await person.task("open a long paste", async () => {
      t.paste(pasted);
      await t.shows("[paste #1 +50 lines]");
      person.press("Alt-V");
      await t.shows("line 49");
      person.press("Ctrl-C");
      await t.hides("line 49");
    });
    await person.task("find what was sent before", async () => {
      person.press("Ctrl-R");
      await t.shows("What you have sent");
      t.type("fiwo");
      await t.shows("› first words");
      person.press("Enter");
      await t.shows("> first words");
      person.press("Ctrl-C");
      await t.hides("> first words");
    });
    await person.task("attach a file", async () => {
      person.press("@");
      t.type("shop");
      await t.shows("› notes/shopping.md");
      person.press("Tab");
      await t.shows("> @notes/shopping.md");
      person.press("Enter");
      await t.shows("Three.");
    });
    await person.task("copy the answer", async () => {
      person.command("copy");
      await t.shows(/^\/copy/m);
      person.press("Enter");
      await t.shows("Copied");
      expect(t.sent()).toContain(`\u001b]52;c;${Buffer.from("Three.").toString("base64")}`);
    });
    await say("third words");
    await t.shows("Working.");
    await person.task("queue a message", async () => {
      await say("for later");
      await t.shows("≡ for later");
    });
    await person.task("say something to the running turn", async () => {
      t.type("for now");
      await t.shows("> for now");
      person.press("Alt-S");
      await t.shows("↳ for now");
      steered.open();
      await t.shows("I see.");
    });
    await person.task("end the turn", async () => {
      person.press("Esc");
      await t.shows("! Interrupted.");
      await t.shows("> for later");
      person.press("Ctrl-C");
      await t.hides("> for later");
    });
    await person.task("go back to an earlier message", async () => {
      person.press("Esc", "Esc");
      await t.shows("› for now");
      person.press("Enter");
      await t.shows(/^> for now/m);
      await t.shows("The conversation now ends with");
      t.type("\u0003");
      await t.hides("> for now");
    });
    await person.task("choose the model", async () => {
      person.press("Alt-P");
      await t.shows("anthropic/claude");
      t.type("haiku45");
      await t.shows("› anthropic/claude-haiku-4-5");
      person.press("Enter");
      await t.shows("full · claude-haiku-4-5");
    });
    await person.task("give the session a name", async () => {
      person.press("Alt-R");
      await t.shows("this one");
      person.press("Ctrl-R");
      await t.shows("New name");
      t.type("\u0015the shop");
      person.press("Enter");
      await t.shows("› the shop");
      t.type(keys.Esc as string);
      await t.hides("› the shop");
    });
    await person.task("begin a new session", async () => {
      person.command("new");
      await t.shows(/^\/new/m);
      person.press("Enter");
      await t.hides("▌ first words");
      await t.hides("One.");
    });
    await person.task("return to another session", async () => {
      person.press("Alt-R");
      await t.shows("› the shop");
      person.press("Enter");
      await t.shows("▌ third words");
    });
    await person.task("see the settings", async () => {
      person.press("Alt-,");
      await t.shows("Settings and where they come from");
      t.type("mouse");
      await t.shows("› terminal.mouse");
      person.press("Esc");
      await t.hides("› terminal.mouse");
    });
    await person.task("leave", async () => {
      person.press("Ctrl-C");
      await t.shows("again to leave");
      person.press("Ctrl-C");
      expect(await t.code).toBe(0);
    });
    never.open();
    expect(person.done).toHaveLength(24);
  });
});
