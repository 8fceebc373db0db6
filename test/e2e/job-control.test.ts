import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { describeWith } from "../optional.ts";
import { isAlive } from "../processes.ts";
import { terminal } from "./pty.ts";
import { scratch, writersIn } from "./scorel.ts";

/** A conversation with one turn, in a shell with job control; with and without an extension. */
async function conversation(extension?: string) {
  const s = scratch();
  const server = await startModelServer([text("Hello."), text("Welcome back.")]);
  s.useModel(server.baseUrl);
  if (extension) s.file("~/.scorel/extensions/mine.ts", extension);
  const t = terminal(s, [], { jobs: true });
  await t.shows("> ");
  t.type("hi\r");
  await t.shows("Hello.");
  await t.shows("> ");
  return {
    s,
    t,
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      s[Symbol.dispose]();
      await server.close();
    },
  };
}
const mine = 'export default { id: "mine", name: "x", version: "1", hooks: () => ({ beforeToolCall() {} }) };';

describeWith("script", "at an idle prompt", () => {
  it.each([
    ["Ctrl-Z", undefined],
    ["Ctrl-Z, beside an extension,", mine],
  ])("%s stops the process, and `fg` continues where it was", async (_what, extension) => {
    await using c = await conversation(extension);
    c.t.type("half a ");
    await c.t.shows("half a ");
    c.t.type("\x1a");
    await c.t.shows("[stopped 148]");
    c.t.type("\r");
    await c.t.shows("> half a ");
    c.t.type("line\r");
    await c.t.shows("Welcome back.");
    c.t.type("/exit\r");
    expect(await c.t.code).toBe(0);
  });

  it("SIGTSTP stops the process, and `fg` continues where it was", async () => {
    await using c = await conversation();
    const [pid = 0] = writersIn(c.s);
    process.kill(pid, "SIGTSTP");
    await c.t.shows("[stopped 148]");
    c.t.type("\r");
    await c.t.shows("> ");
    c.t.type("again\r");
    await c.t.shows("Welcome back.");
    c.t.type("\x04");
    expect(await c.t.code).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });
});
