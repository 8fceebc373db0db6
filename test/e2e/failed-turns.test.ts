import { basename } from "node:path";
import { expect } from "vitest";
import { startModelServer, status } from "../model-server.ts";
import { itWith } from "../optional.ts";
import { terminal } from "./pty.ts";
import { scratch } from "./scorel.ts";

itWith("script", "a failed turn is told once, and again when the session is printed or resumed", async () => {
  const refused = (code: number, message: string) => status(code, { error: { message } });
  const replies = [refused(401, "no such key"), refused(403, "no credit"), refused(404, "no such model")];
  await using model = await startModelServer(replies);
  using s = scratch({ inProcess: true });
  s.useModel(model.baseUrl);
  const reason = "The model call failed: 401 no such key";
  const failed = await s.run(["-p", "a question"]);
  expect(failed.stderr.split(reason)).toHaveLength(2);

  const [log = ""] = s.logs();
  const printed = await s.run(["session", "show", basename(log, ".jsonl")]);
  expect(printed.stdout).toMatch(/a question[\s\S]*The model call failed: 401 no such key/);
  for (const [full, next] of [
    [false, "403 no credit"],
    [true, "404 no such model"],
  ] as const) {
    await using t = terminal(s, ["--continue"], { full });
    await t.shows("a question");
    await t.shows(reason);
    t.type("another question\r");
    await t.shows(`The model call failed: ${next}`);
    const told = t.rows().filter((row) => row.includes(next) || row.includes("no such key"));
    expect(told).toHaveLength(2);
  }
});
