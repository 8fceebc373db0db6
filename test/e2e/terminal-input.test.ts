import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../eventually.ts";
import { type Reply, startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { png, quarters } from "../plugins/images/pictures.ts";
import { type FullScreen, type FullScreenOptions, fullScreen } from "./full-screen.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

async function stage(replies: readonly Reply[]) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl, "");
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { [Symbol.asyncDispose]: dispose });
}

async function ready(s: Scratch, options?: FullScreenOptions): Promise<FullScreen> {
  const t = fullScreen(s, [], options);
  await t.shows("scripted-model");
  return t;
}

async function say(t: FullScreen, words: string, answer: string) {
  t.type(words);
  await t.shows(`> ${words}`);
  t.type("\r");
  await t.shows(answer);
}

async function leave(t: FullScreen) {
  t.type("/exit\r");
  expect(await t.code).toBe(0);
}

const drafts = (s: Scratch) => {
  const folder = join(s.home, ".scorel", "drafts");
  return readdirSync(folder).flatMap((name) =>
    name.endsWith(".json") ? [readFileSync(join(folder, name), "utf8")] : [],
  );
};

describeWith("script", "a picture in the clipboard", () => {
  it("goes to the model as an image, and is shown where the terminal can", async () => {
    using s = scratch();
    await using server = await startModelServer([text("Four colours.")]);
    s.useModel(server.baseUrl, 'input = ["text", "image"]\n');
    const picture = png(90, 36, quarters(90, 36)).toString("base64");
    const program = s.file("~/bin/xclip", `#!/bin/sh\necho ${picture} | base64 -d\n`);
    chmodSync(program, 0o755);
    const env = { PATH: `${dirname(program)}:${process.env.PATH}`, KITTY_WINDOW_ID: "1" };
    await using t = await ready(s, { env });
    t.type("what is this? \u0016");
    await t.shows("> what is this? [image #1]");
    t.type("\r");
    await t.shows("Four colours.");
    await t.shows(/▌ what is this\? \[image #1\]\n▣ image: png, 90×36, 1 KB\n\n\n/);
    expect(t.sent()).toMatch(/_Ga=t,f=100,i=\d+,q=2,m=0;iVBOR/);
    const messages = server.requests[0]?.body.messages as { content: unknown }[] | undefined;
    expect(messages?.at(-1)?.content).toEqual([
      { type: "text", text: "what is this? [image #1] " },
      { type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } },
    ]);
    await leave(t);
  });
});

describeWith("script", "writing in the terminal application", () => {
  it("keeps typed text after kill -9, with its long paste, and never as a command", async () => {
    await using s = await stage([text("Done.")]);
    await using first = await ready(s);
    const long = Array.from({ length: 12 }, (_, index) => `line ${index}`).join("\n");
    first.type("/permission full ");
    first.paste(long);
    await first.shows("/permission full [paste #1 +12 lines]");
    await eventually(() => expect(drafts(s).join()).toContain("line 11"));
    first.signal("SIGKILL");
    await first.code;
    await using again = await ready(s);
    await again.shows("> /permission full [paste #1 +12 lines]");
    again.type("\r");
    await again.shows("Done.");
    await leave(again);
    const [, content] = records(s.logs()[0] as string).flatMap(({ message }) => {
      const { role, content } = (message ?? {}) as { role?: string; content?: unknown };
      return role === "user" ? [role, content] : [];
    });
    expect(content).toBe(`/permission full ${long}`);
    expect(drafts(s)).toEqual([]);
  });

  it("runs nothing of several lines that arrive at once, with and without the marks of a paste", async () => {
    await using s = await stage([text("Read.")]);
    await using t = await ready(s);
    t.type("first\r!touch one\r/permission full\r");
    await t.shows("/permission full");
    t.type("\x1b[200~ and\x1b[201~\r!touch two\r\x1b[201~");
    await t.shows("!touch two");
    t.type(".");
    await t.shows(/^ {2}\.$/m);
    t.type("\r");
    await t.shows("Read.");
    expect(readdirSync(s.project)).not.toContain("one");
    expect(readdirSync(s.project)).not.toContain("two");
    expect(t.screen.text()).toContain("ask ·");
    await leave(t);
  });

  it("makes one mark of a long paste without marks, which comes in many reads", async () => {
    await using s = await stage([text("Read.")]);
    await using t = await ready(s);
    t.type(Array.from({ length: 900 }, (_, at) => `line ${at} of a text that another program has sent`).join("\r"));
    await t.shows(/^> \[paste #1 \+900 lines\]$/m);
    t.type("\r");
    await t.shows("Read.");
    await leave(t);
  });

  it("recalls commands and shell lines with their marks, also a command that does not exist", async () => {
    await using s = await stage([]);
    await using t = await ready(s);
    t.type("/nonesuch a");
    await t.shows("/nonesuch a");
    t.type("\r");
    await t.shows("There is no command");
    t.type("\x1b[A");
    await t.shows(/There is no command[\s\S]*\/nonesuch a/);
    t.type("b");
    await t.shows("/nonesuch ab");
    t.type("\x15!echo to-the-shell\r");
    await t.shows(/to-the-shell[\s\S]*to-the-shell/);
    t.type("\x1b[A");
    await t.shows(/^!echo to-the-shell/m);
    t.type("\x15");
    await leave(t);
  });

  it("finds what was sent by Ctrl-R, also in another terminal, and completes commands", async () => {
    await using s = await stage([text("One."), text("Two.")]);
    await using first = await ready(s);
    await say(first, "fix the parser", "One.");
    await say(first, "write the docs", "Two.");
    await using other = await ready(s);
    other.type("\x12");
    await other.shows("What you have sent");
    other.type("psr");
    await other.hides("write the docs");
    other.type("\r");
    await other.shows("> fix the parser");
    other.type("\x03/hel");
    await other.shows("› /help");
    other.type("\r\r");
    await other.shows("Keys and commands");
    other.type("\x1b");
    await other.hides("Keys and commands");
    await leave(other);
    await leave(first);
  });

  it("goes back to an earlier message by Esc twice, whose text returns", async () => {
    await using s = await stage([text("One."), text("Two.")]);
    await using t = await ready(s);
    await say(t, "first words", "One.");
    await say(t, "second words", "Two.");
    t.type("\x1b");
    t.type("\x1b");
    await t.shows("Go back to before a message");
    await t.shows("› second words");
    t.type("\r");
    await t.shows("> second words");
    await t.hides("Two.");
    t.type("\x03");
    await leave(t);
  });

  it("switches to another session without typing its id", async () => {
    await using s = await stage([text("One."), text("Two.")]);
    await using first = await ready(s);
    await say(first, "about parsers", "One.");
    await leave(first);
    await using t = await ready(s);
    t.type("\x1br");
    await t.shows(/› about parsers/);
    t.type("\r");
    // The list shows the answer, too.
    await t.hides("Sessions of this project");
    await t.shows("One.");
    await leave(t);
  });

  it("gives the terminal to the person's editor, and takes its text back as a message", async () => {
    await using s = await stage([text("Read.")]);
    const editor = join(s.home, "editor");
    writeFileSync(editor, '#!/bin/sh\nprintf "in the editor"; read -r line; printf "/%s" "$line" > "$1"\n');
    chmodSync(editor, 0o755);
    await using t = await ready(s, { env: { VISUAL: editor } });
    t.type("draft");
    await t.shows("> draft");
    t.type("\x07");
    await t.shows("in the editor");
    t.type("from the editor\n");
    await t.shows("> /from the editor");
    t.type("\r");
    await t.shows("Read.");
    await leave(t);
  });

  it("is stopped together with the person's editor, and continued with it", async () => {
    await using s = await stage([text("Read.")]);
    const editor = join(s.home, "editor");
    // Ctrl-Z in an editor stops the programs of its job, as this does.
    writeFileSync(
      editor,
      '#!/bin/sh\nkill -s TSTP 0; printf "in the editor"; read -r line; printf "%s" "$line" > "$1"\n',
    );
    chmodSync(editor, 0o755);
    await using t = await ready(s, { jobs: true, env: { VISUAL: editor } });
    t.type("\x07");
    await t.shows("[stopped 148]");
    t.type("\n");
    await t.shows("in the editor");
    t.type("from the editor\n");
    await t.shows("> from the editor");
    t.type("\r");
    await t.shows("Read.");
    await leave(t);
  });
});
