import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

const none = ["--preset", "none"];

/** A running host. `stored` is the prompt of a session that was closed before the host was started. */
async function stage({ stored }: { stored?: string } = {}) {
  const s = scratch();
  const server = await startModelServer((_request, index) => [text(`answer ${index}`)]);
  s.useModel(server.baseUrl);
  if (stored !== undefined) await s.run([...none, "-p", stored]);
  const host = s.start(["host", "serve", "--foreground", ...none]);
  await host.line((line) => line.startsWith("socket: "));
  const dispose = async () => {
    s[Symbol.dispose]();
    await server.close();
  };
  return Object.assign(s, { server, [Symbol.asyncDispose]: dispose });
}

it("attach opens the session of the directory with the latest message, not an unused one or one of another directory", async () => {
  await using s = await stage();
  await s.run([...none, "-p", "here"]);
  const other = join(s.project, "..", "other");
  mkdirSync(other);
  await s.run([...none, "-p", "elsewhere"], { cwd: other });
  // The session that was opened last, but without a message.
  const unused = s.start([...none, "chat"], { open: true });
  unused.child.stdin?.write("/help\n");
  await unused.line((line) => line.includes("/help"));
  expect(await s.run([...none, "attach"], { input: "again\n" })).toMatchObject({ code: 0 });
  expect(s.server.requests.at(-1)?.text).toMatch(/here.*answer 0.*again/);
  // In a directory without sessions, the session that was used last in any directory.
  const empty = join(s.project, "..", "empty");
  mkdirSync(empty);
  expect(await s.run([...none, "attach"], { input: "once more\n", cwd: empty })).toMatchObject({ code: 0 });
  expect(s.server.requests.at(-1)?.text).toMatch(/here.*again.*once more/);
  unused.child.stdin?.end();
  await unused.finished;
});

itWith(
  "script",
  "attach lets a person choose when several sessions of the directory are open, and says which",
  async () => {
    await using s = await stage({ stored: "closed before" });
    for (const words of ["first words", "second words"]) {
      const { code } = await s.run([...none, "chat"], { input: `${words}\n` });
      expect(code).toBe(0);
    }
    const open = [s.start([...none, "chat", "--resume", "first words"], { open: true })];
    open.push(s.start([...none, "chat", "--resume", "second words"], { open: true }));
    for (const [index, each] of open.entries()) {
      each.child.stdin?.write("more\n");
      await each.line((line) => line.includes(`answer ${index + 3}`) || line.includes("answer"));
    }
    const { stdout } = await s.run([...none, "attach", "--list"]);
    const titles = [...stdout.matchAll(/:\d\d {2}(.*) {2}\(\//g)].map(([, title]) => title);
    expect(titles.slice(0, 2).sort()).toEqual(["first words  (open)", "second words  (open)"]);
    expect(titles.slice(2)).toEqual(["closed before"]);
    await using t = terminal(s, [...none, "attach"]);
    await t.shows("words  (open)");
    await t.shows("closed before");
    await t.shows("Which session?");
    t.type("1\r");
    await t.shows("(also here:");
    t.type("/exit\r");
    expect(await t.code).toBe(0);
    for (const each of open) {
      each.child.stdin?.end();
      await each.finished;
    }
  },
);
