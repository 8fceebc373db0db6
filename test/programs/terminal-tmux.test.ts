import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { records, type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, type Reply, startModelServer, text, toolCall } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { type Pane, tmux } from "./tmux.ts";

async function stage(replies: readonly Reply[], env?: Record<string, string>) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl, "");
  const terminals = tmux(s, { env });
  const dispose = async () => {
    await terminals[Symbol.asyncDispose]();
    await server.close();
    s[Symbol.dispose]();
  };
  return Object.assign(s, { server, terminals, [Symbol.asyncDispose]: dispose });
}

/** Opens a window and starts the application in it. */
async function begin(s: Awaited<ReturnType<typeof stage>>, args = ""): Promise<Pane> {
  const pane = s.terminals.open();
  await pane.atPrompt();
  pane.type(`scorel ${args}`);
  pane.press("Enter");
  await pane.shows("scripted-model");
  return pane;
}

async function say(pane: Pane, words: string) {
  pane.type(words);
  await pane.shows(`> ${words}`);
  pane.press("Enter");
}

async function leave(pane: Pane) {
  pane.type("/exit");
  await pane.shows(/^\/exit/m);
  pane.press("Enter");
  await pane.atPrompt();
}

/**
 * Answers a question. Keys are accepted once a question was shown for a moment and nothing was typed for 0.6 seconds.
 */
async function allow(pane: Pane, key = "y") {
  await pane.shows("yes, this once");
  await new Promise((resolve) => setTimeout(resolve, 750));
  pane.type(key);
}

const users = (s: Scratch) =>
  records(s.logs()[0] as string).flatMap(({ message }) => {
    const { role, content } = (message ?? {}) as { role?: string; content?: unknown };
    return role === "user" ? [content] : [];
  });

const edit = toolCall("Edit", { file_path: "cart.js", old_string: "let i = 1", new_string: "let i = 0" });
const cart = "function total(items) {\n  for (let i = 1; i < items.length; i++) sum += items[i];\n}\n";

describeWith("tmux", "the application in tmux", () => {
  it("does a whole task: reads, asks with the diff, edits, runs a command, and ends with a hint how to continue", async () => {
    await using s = await stage([
      [toolCall("Read", { file_path: "cart.js" })],
      [text("The loop begins at 1."), edit],
      [toolCall("Bash", { command: "cp cart.js kept.js" })],
      text("Done: the loop begins at 0."),
    ]);
    s.file("cart.js", cart);
    const pane = await begin(s);
    await say(pane, "the total is wrong");
    await pane.shows("The loop begins at 1.");
    await pane.shows(/- *for \(let i = 1/);
    await pane.shows(/\+ *for \(let i = 0/);
    await allow(pane);
    await pane.shows("$ cp cart.js kept.js");
    await allow(pane);
    await pane.shows("Done: the loop begins at 0.");
    expect(readFileSync(join(s.project, "kept.js"), "utf8")).toContain("let i = 0");
    await leave(pane);
    expect(pane.screen()).toMatch(/To continue: scorel --session \w+\nshell\$$/);
  });

  it("sends 50 pasted lines, and lines that look like commands, as the message that they are", async () => {
    const many = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    const commands = "/permission full\n!touch made\n/exit";
    await using s = await stage([text("One."), text("Two.")]);
    const pane = await begin(s);
    pane.paste(many);
    await pane.shows("[paste #1 +50 lines]");
    pane.press("Enter");
    await pane.shows("One.");
    pane.paste(commands);
    await pane.shows("/exit");
    pane.press("Enter");
    await pane.shows("Two.");
    expect(pane.screen()).toContain("ask · scripted-model");
    await leave(pane);
    expect(users(s)).toEqual([many, commands]);
  });

  it("queues, steers, and gives back what was queued when the turn is cancelled", async () => {
    const [first, second] = [gate(), gate()];
    await using s = await stage([
      [text("Working."), delayUntil(first.promise), toolCall("Glob", { pattern: "*" })],
      [text("I see."), delayUntil(second.promise)],
    ]);
    const pane = await begin(s);
    await say(pane, "begin");
    await pane.shows("Working.");
    pane.type("look at this");
    await pane.shows("> look at this");
    pane.press("M-s");
    await pane.shows("↳ look at this");
    await say(pane, "and later that");
    await pane.shows("≡ and later that");
    first.open();
    await pane.shows("I see.");
    await pane.hides("↳ look at this");
    expect(JSON.stringify((await s.server.request(1)).body)).toContain("look at this");
    pane.press("Escape");
    await pane.shows("> and later that");
    await pane.shows("! Interrupted.");
    second.open();
    expect(users(s)).toEqual(["begin", "look at this"]);
  });

  it("goes back to before a message, with the files", async () => {
    await using s = await stage([[toolCall("Read", { file_path: "cart.js" })], [edit], text("Edited.")]);
    s.file("cart.js", cart);
    const pane = await begin(s);
    await say(pane, "repair it");
    await allow(pane);
    await pane.shows("Edited.");
    await pane.hides("to interrupt");
    pane.press("Escape");
    pane.press("Escape");
    await pane.shows("Go back to before a message");
    await pane.shows("› repair it");
    pane.press("Enter");
    await pane.shows("cart.js");
    await pane.shows(/› .*conversation/i);
    pane.press("Enter");
    await pane.shows("> repair it");
    await pane.hides("Edited.");
    expect(readFileSync(join(s.project, "cart.js"), "utf8")).toBe(cart);
  });

  it("is one screen in every size while a reply arrives, and shows the conversation again when it is resumed", async () => {
    const gates = [gate(), gate(), gate()];
    const [first, second, third] = gates.map(({ promise }) => delayUntil(promise));
    const words = (from: number) => text(Array.from({ length: 30 }, (_, at) => `word${from + at} `).join(""), 7);
    await using s = await stage([
      [words(0), first, words(30), second, words(60), third, text("\n\nThe end.")] as Reply,
    ]);
    const pane = await begin(s);
    await say(pane, "go");
    await pane.shows("word29");
    pane.resize(40, 20);
    gates[0]?.open();
    await pane.shows("word59");
    expect(
      Math.max(
        ...pane
          .screen()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(40);
    pane.resize(160, 40);
    gates[1]?.open();
    await pane.shows("word89");
    await pane.shows(/word0 word1 .* word15/);
    pane.resize(100, 30);
    gates[2]?.open();
    await pane.shows("The end.");
    await leave(pane);
    const again = await begin(s, "--continue");
    await again.shows("▌ go");
    await again.shows("word89");
    await again.shows("The end.");
  });

  it("returns to the shell at Ctrl-Z while a reply arrives, and goes on after fg", async () => {
    const held = gate();
    await using s = await stage([[text("Begun."), delayUntil(held.promise), text("\n\nGone on.")]]);
    const pane = await begin(s);
    await say(pane, "go");
    await pane.shows("Begun.");
    pane.press("C-z");
    await pane.shows("Stopped");
    await pane.atPrompt();
    held.open();
    pane.type("fg");
    pane.press("Enter");
    await pane.shows("Gone on.");
    expect(pane.screen()).toContain("▌ go");
    await leave(pane);
  });

  it("has what was typed again after kill -9", async () => {
    await using s = await stage([text("Hello.")]);
    const pane = await begin(s);
    await say(pane, "hi");
    await pane.shows("Hello.");
    pane.type("an unfinished thought");
    await pane.shows("> an unfinished thought");
    await eventually(() => expect(drafts(s)).toContain("an unfinished thought"));
    process.kill(pane.foreground(), "SIGKILL");
    await pane.shows("Killed");
    const again = await begin(s, "--continue");
    await again.shows("Hello.");
    await again.shows("> an unfinished thought");
  });

  it("shows one session in two terminals, and a question until one of them has answered", async () => {
    await using s = await stage([text("First."), [toolCall("Bash", { command: "touch both" })], text("Second.")]);
    const one = await begin(s);
    await say(one, "begin");
    await one.shows("First.");
    const other = await begin(s, "--continue");
    await other.shows("First.");
    await say(other, "run it");
    await one.shows("run it");
    await one.shows("yes, this once");
    await allow(other);
    await one.hides("yes, this once");
    await one.shows("Second.");
    await other.shows("Second.");
    await leave(other);
    await say(one, "still here");
    await one.shows("▌ still here");
  });

  it("restores the terminal when it crashes, says how to continue, and has lost no typed text", async () => {
    const broken = join(import.meta.dirname, "broken.cjs");
    await using s = await stage([text("Hello.")], { NODE_OPTIONS: `--require=${broken}` });
    const pane = await begin(s);
    await say(pane, "hi");
    await pane.shows("Hello.");
    pane.type("half a sent");
    await pane.shows("> half a sent");
    process.kill(pane.foreground(), "SIGUSR2");
    await pane.atPrompt();
    expect(pane.screen()).toMatch(/To continue: scorel --session \w+/);
    expect(pane.screen()).toContain("something broke");
    pane.type("echo echoed");
    await pane.shows("shell$ echo echoed");
    pane.press("Enter", "C-l");
    const again = await begin(s, "--continue");
    await again.shows("> half a sent");
  });
});

function drafts(s: Scratch): string {
  const folder = join(s.home, ".scorel", "drafts");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}
