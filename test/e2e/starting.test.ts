import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Reply, startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

async function stage(replies: readonly Reply[]) {
  const s = scratch();
  const server = await startModelServer(replies);
  s.useModel(server.baseUrl, "");
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { server, [Symbol.asyncDispose]: dispose });
}

describeWith("script", "a conversation that is started with a prompt", () => {
  it("sends it in the application", async () => {
    await using s = await stage([text("Mended.")]);
    await using t = fullScreen(s, ["fix the bug"]);
    await t.shows("▌ fix the bug");
    await t.shows("Mended.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  });

  it("sends it line by line as a message, whatever it begins with", async () => {
    await using s = await stage([text("Not a command."), text("Second.")]);
    await using t = terminal(s, ["--plain", "/exit"]);
    await t.shows("> /exit");
    await t.shows("Not a command.");
    t.type("more\r");
    await t.shows("Second.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(s.server.requests[0]?.text).toContain('"/exit"');
  });
});

describe("a conversation without a terminal, whose input has no prompt", () => {
  it("says what to do, also when it attaches to a session", async () => {
    await using s = await stage([text("Hello.")]);
    const stderr =
      "scorel: The input ended before there was a prompt. Pass a prompt with -p or through a pipe, or run this in a terminal.\n";
    expect(await s.run([], { input: "" })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: 'scorel: The prompt is empty: pass one with -p "…", or pipe one in.\n',
    });
    expect(await s.run(["chat"], { input: "\n \n" })).toMatchObject({ code: 2, stdout: "", stderr });
    expect(existsSync(join(s.home, ".scorel", "sessions"))).toBe(false);
    expect((await s.run(["-p", "hi"])).code).toBe(0);
    expect(await s.run(["attach"], { input: "" })).toMatchObject({ code: 2, stdout: "", stderr });
    expect(s.server.requests).toHaveLength(1);
  });
});

describe("piped input without -p", () => {
  it("belongs to the one prompt, as with -p, whatever its lines begin with", async () => {
    await using s = await stage([text("Fine."), text("Two."), text("Three.")]);
    const input = "first\n/permission full\n!touch gone\n/new\nlast\n";
    expect(await s.run(["review this"], { input })).toMatchObject({ code: 0, stdout: "Fine.\n" });
    expect(await s.run([], { input: "/permission full\n" })).toMatchObject({ code: 0, stdout: "Two.\n" });
    expect(await s.run(["-c", "and this"], { input: "more\n" })).toMatchObject({ code: 0, stdout: "Three.\n" });
    const prompts = s.server.requests.map(({ body }) => body.messages.at(-1).content);
    expect(prompts).toEqual([`review this\n\n${input.trimEnd()}`, "/permission full", "and this\n\nmore"]);
    expect(existsSync(join(s.project, "gone"))).toBe(false);
  });

  it("is read line by line by `chat` and --plain, where it cannot set what runs without a question", async () => {
    await using s = await stage([text("One."), text("Two.")]);
    const refused = {
      code: 2,
      stderr:
        "scorel: /permission runs only when a person types it, since anyone may have written piped input. Use an option instead, such as --permission <mode>.\n",
    };
    expect(await s.run(["chat"], { input: "hello\n/permission full\nmore\n" })).toMatchObject(refused);
    expect(await s.run(["--plain"], { input: "hello\n/permission full\nmore\n" })).toMatchObject(refused);
    expect(s.server.requests).toHaveLength(2);
  });
});

describe("a prompt beside -p", () => {
  it("is the prompt if -p has none, as when an option follows -p", async () => {
    await using s = await stage([text("One."), text("Two."), text("Three.")]);
    expect(await s.run(["-p", "--timeout", "60", "first thing"])).toMatchObject({ code: 0, stdout: "One.\n" });
    expect(await s.run(["second thing", "-p"])).toMatchObject({ code: 0, stdout: "Two.\n" });
    expect(await s.run(["-p", "--continue", "third thing"])).toMatchObject({ code: 0, stdout: "Three.\n" });
    const prompts = s.server.requests.map(({ body }) => body.messages.at(-1).content);
    expect(prompts).toEqual(["first thing", "second thing", "third thing"]);
  });
  it("is refused, as is --resume where nobody can choose", async () => {
    using s = scratch();
    expect(await s.run(["-p", "hi", "there"])).toMatchObject({
      code: 2,
      stderr: 'scorel: "scorel" takes no argument "there" in addition to -p. Quote text that contains spaces.\n',
    });
    expect((await s.run(["-p", "hi", "--resume"])).stderr).toContain("--resume without a session only works in a conv");
    expect((await s.run(["--resume"])).stderr).toContain("--resume needs a part of the session's id or title here");
  });
});

describeWith("script", "--resume", () => {
  /** Creates two sessions with these first messages. */
  async function sessions() {
    const s = await stage([text("One."), text("Two."), text("Three."), text("Four.")]);
    for (const prompt of ["mend the parser", "write the docs"]) expect((await s.run(["-p", prompt])).code).toBe(0);
    return s;
  }

  it("finds a session by a part of its title or id, and says which ones fit", async () => {
    await using s = await sessions();
    const found = await s.run(["-p", "go on", "--resume", "PARSER"]);
    expect(found.code).toBe(0);
    expect(s.server.requests.at(-1)?.text).toContain("mend the parser");
    const unclear = await s.run(["-p", "go on", "--resume", "the"]);
    expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('2 sessions have "the" in their ids') });
    expect(await s.run(["-p", "go on", "-r", "nothing like it"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No session has "nothing like it" in its id or title.'),
    });
    expect(await s.run(["--resume", "x", "--continue"])).toMatchObject({ code: 2 });
  });

  it("shows a list in the application, of which one is chosen before a session is open; Esc returns to the shell", async () => {
    await using s = await sessions();
    await using t = fullScreen(s, ["--resume"]);
    await t.shows("Sessions of this project");
    await t.shows("write the docs");
    t.type("parser");
    await t.hides("write the docs");
    t.type("\r");
    await t.shows("print: mend the parser");
    t.type("and more\r");
    await t.shows("Three.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(s.logs()).toHaveLength(2);
    await using other = fullScreen(s, ["-r"]);
    await other.shows("Sessions of this project");
    other.type("\u001b");
    expect(await other.code).toBe(0);
    expect(s.logs()).toHaveLength(2);
  });

  it("lists sessions and asks for one line by line", async () => {
    await using s = await sessions();
    await using t = terminal(s, ["--plain", "--resume"]);
    await t.shows("write the docs");
    await t.shows("mend the parser");
    await t.shows("Which session?");
    t.type("9\r");
    await t.shows("Please enter a number from 1 to 2.");
    await t.shows("Which session?");
    t.type("2\r");
    await t.shows("> mend the parser");
    t.type("/clear\r");
    await t.shows("New session");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  });
});
