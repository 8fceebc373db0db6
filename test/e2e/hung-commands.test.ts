import { describe, expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

const LIMIT = 60_000;
const CANCELLED = '/hang of plugin "hang" was cancelled.';

/** Writes an extension whose command says that it has begun, and never settles. */
function write(s: Scratch): void {
  s.file(
    "~/.scorel/extensions/hang.ts",
    `export default { id: "hang", name: "Hang", version: "1.0.0",
  commands: ({ ui }) => ({ hang: () => (ui.notify("it has begun"), console.log("it runs"), new Promise(() => {})) }) };`,
  );
}

describe("a slash command that never settles", () => {
  itWith(
    "script",
    "is cancelled by Esc or Ctrl-C on the screen, and later messages are sent",
    async () => {
      using s = scratch();
      write(s);
      const server = await startModelServer([text("Here I am.")]);
      s.useModel(server.baseUrl);
      await using t = fullScreen(s);
      await t.shows("scripted-model");
      for (const key of ["\u001b", "\u0003"]) {
        t.type("/hang\r");
        await t.shows("it has begun");
        t.type(key);
        await t.shows(CANCELLED);
        t.type("/clear\r");
        await t.hides(CANCELLED);
      }
      t.type("hello\r");
      await t.shows("Here I am.");
      await server.close();
    },
    LIMIT,
  );

  itWith(
    "script",
    "is cancelled by Ctrl-C in a plain conversation, and later messages are sent",
    async () => {
      using s = scratch();
      write(s);
      const server = await startModelServer([text("Here I am.")]);
      s.useModel(server.baseUrl);
      await using t = terminal(s, ["--plain"]);
      await t.shows("> ");
      t.type("/hang\r");
      await t.shows("it has begun");
      t.type("hello\r");
      t.type("\u0003");
      await t.shows(CANCELLED);
      await t.shows("Here I am.");
      await server.close();
    },
    LIMIT,
  );

  it.each([
    ["chat", ["chat"], "/hang\n"],
    ["-p", ["-p", "/hang"], ""],
  ])(
    "is cancelled by a signal to `scorel %s` in a pipe",
    async (_name, args, input) => {
      using s = scratch();
      write(s);
      s.useModel("http://127.0.0.1:9");
      const running = s.start(args, { input });
      await running.said("it runs");
      running.child.kill("SIGINT");
      const { code, stdout, stderr } = await running.finished;
      expect(code).toBe(130);
      expect(stdout + stderr).toContain(CANCELLED);
    },
    LIMIT,
  );
});
