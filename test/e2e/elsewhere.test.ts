import { basename } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text } from "../model-server.ts";
import { scratch, writersIn } from "./scorel.ts";

const none = ["--preset", "none"];

it("a host lists sessions that terminals have open, and takes them over once the terminals have left", async () => {
  using s = scratch();
  await using server = await startModelServer([text("one"), text("two")]);
  s.useModel(server.baseUrl);
  const talk = s.start([...none, "chat"], { open: true });
  talk.child.stdin?.write("first\n");
  await talk.line((line) => line.includes("one"));
  const host = s.start(["host", "serve", "--foreground", ...none]);
  const sessionId = basename(s.logs()[0] as string, ".jsonl");
  const [pid] = writersIn(s);
  const named = await host.line((line) => line.includes(sessionId));
  expect(named).toMatch(new RegExp(`^  ${sessionId} \\(process ${pid}, since `));
  const status = async () => {
    const [shown, json] = [await s.run(["host", "status"]), await s.run(["host", "status", "--json"])];
    return { shown: shown.stdout, elsewhere: JSON.parse(json.stdout).elsewhere };
  };
  const before = await status();
  expect(before.elsewhere).toEqual([{ sessionId, pid, since: expect.any(String) }]);
  expect(before.shown).toContain("not in the host, but open in another process:");
  expect(before.shown).toContain("Leave it there with /exit");
  talk.child.stdin?.end();
  expect((await talk.finished).code).toBe(0);
  const attached = s.start([...none, "attach", sessionId.slice(0, 8)], { open: true });
  attached.child.stdin?.write("second\n");
  await attached.line((line) => line.includes("two"));
  expect(writersIn(s)).toEqual([host.pid]);
  expect((await status()).elsewhere).toEqual([]);
  attached.child.stdin?.end();
  expect((await attached.finished).code).toBe(0);
});

it("a title that several sessions have is refused at attach, with the sessions that it could mean", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer([text("one"), text("two"), text("three")]);
  s.useModel(server.baseUrl);
  await s.run([...none, "-p", "the same words"]);
  await s.run([...none, "-p", "the same words"]);
  const { code, stderr } = await s.run([...none, "attach", "same words"]);
  const ids = s.logs().map((path) => basename(path, ".jsonl"));
  expect(code).toBe(2);
  for (const id of ids)
    expect(stderr).toMatch(
      new RegExp(`^  ${id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  ${s.project}  the same words$`, "m"),
    );
  const attached = await s.run([...none, "attach", ids[0] as string], { input: "third\n" });
  expect(attached).toMatchObject({ code: 0, stdout: expect.stringContaining("three") });
  expect((await s.run([...none, "attach", "nothing like it"])).stderr).toContain('No session has "nothing like it"');
});
