import { expect, it } from "vitest";
import { type Reply, startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { fullScreen } from "./full-screen.ts";
import { terminal } from "./pty.ts";
import { type Scratch, scratch } from "./scorel.ts";

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

async function ready(s: Scratch, args: readonly string[] = []) {
  const t = fullScreen(s, args);
  await t.shows("scripted-model");
  return t;
}

describeWith("script", "lines for the shell", () => {
  it("run in the terminal application, with their output in the conversation, also when it is opened again", async () => {
    await using s = await stage([text("I see three.")]);
    await using t = await ready(s);
    t.type("!seq 3; exit 4\r");
    await t.shows("✗ ! seq 3; exit 4");
    await t.shows(/│ 1\n.*│ 2\n.*│ 3\n.*│ \[exit code 4, \d\.\d s\]/);
    t.type("!!echo hush\r");
    await t.shows("● !! echo hush");
    t.type("how many?\r");
    await t.shows("I see three.");
    expect(s.server.requests[0]?.text).toContain("$ seq 3; exit 4\\n1\\n2\\n3\\n[exit code 4]");
    expect(s.server.requests[0]?.text).not.toContain("hush");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    await using again = await ready(s, ["--continue"]);
    await again.shows("✗ ! seq 3; exit 4");
    await again.shows("● !! echo hush");
  });

  it("show the end of their output while they run, and Esc ends them", async () => {
    await using s = await stage([]);
    await using t = await ready(s);
    t.type("!echo begun; sleep 300\r");
    await t.shows(/! echo begun; sleep 300 .*begun$/m);
    await t.shows(/running ! echo begun; sleep 300 .*Esc to interrupt/);
    t.type("\u001b");
    await t.shows("✗ ! echo begun; sleep 300");
    await t.hides("Esc to interrupt");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
  });

  it("run in a conversation line by line, where Ctrl-C ends them and pasted ones are messages", async () => {
    await using s = await stage([text("That is text.")]);
    await using t = terminal(s, ["--plain"]);
    await t.shows("> ");
    t.type("!echo $((40 + 2))\r");
    await t.shows("· ! echo $((40 + 2))");
    await t.shows("  42");
    t.type("!sleep 300\r");
    await t.shows("· ! sleep 300");
    t.type("\u0003");
    await t.shows("· failed: ! sleep 300");
    t.type("\u001b[200~!touch made\u001b[201~\r");
    await t.shows("That is text.");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    expect(s.server.requests[0]?.text).toContain("!touch made");
    expect(s.server.requests[0]?.text).toContain("$ echo $((40 + 2))\\n42");
  });
});
