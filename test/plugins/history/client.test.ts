import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { describe, expect, it } from "vitest";
import { tree } from "../../../plugins/history/actions.ts";
import { withClient } from "../../../plugins/history/client.ts";
import { desk } from "./desk.ts";

/**
 * The exit code or error code of a command that asks at a terminal, where the person types a line, interrupts it, or
 * ends the input.
 */
async function asked(typed: string | "interrupt" | "end"): Promise<string> {
  await using t = await desk();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = new PassThrough();
  const control = new AbortController();
  const invocation = { args: [], options: {}, stdin, stdout, stderr: stdout, interrupt: control.signal };
  const running = withClient(t.host, invocation as unknown as Invocation, ({ confirm }) => confirm("Sure?", "It"));
  stdout.once("data", () => {
    if (typed === "interrupt") control.abort();
    else if (typed === "end") stdin.end();
    else stdin.write(`${typed}\n`);
  });
  return running.then(String, (thrown: { code: string }) => thrown.code);
}

it.each([
  ["y", "0"],
  ["Yes", "0"],
  ["n", "HISTORY_UNCONFIRMED"],
  ["", "HISTORY_UNCONFIRMED"],
  ["interrupt", "130"],
  ["end", "HISTORY_UNCONFIRMED"],
])("a question in a terminal that is answered with %j results in %s", async (typed, outcome) => {
  expect(await asked(typed)).toBe(outcome);
});

/** The lines that `session tree` prints for a session with this many questions and answers. */
async function drawn(rounds: number, options: Record<string, unknown>, terminal = false): Promise<string[]> {
  await using t = await desk();
  for (let n = 1; n <= rounds; n++) await t.say(`say ${n}`);
  const stdout = Object.assign(new PassThrough(), terminal ? { isTTY: true, columns: 100 } : {});
  const interrupt = new AbortController().signal;
  const invocation = { args: [t.sessionId], options, stdout, stderr: stdout, interrupt };
  await withClient(t.host, invocation as unknown as Invocation, tree);
  stdout.end();
  return String(stdout.read()).trimEnd().split("\n");
}

describe("session tree", () => {
  it("draws the whole tree, or the last events with --tail", async () => {
    expect(await drawn(120, {})).toHaveLength(240);
    const tail = await drawn(120, { tail: "3" });
    expect(tail.map((line) => line.replace(/^.*?(user|assistant)/, "$1"))).toEqual([
      "assistant  echo: say 119",
      "user       say 120",
      "assistant  (here) echo: say 120",
    ]);
    expect(JSON.parse((await drawn(3, { tail: "2", output: "json" }))[0] as string).rows).toHaveLength(2);
  });

  it("shows the last 200 events on a terminal, and how to see more", async () => {
    const lines = await drawn(120, {}, true);
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe("These are the last 200 events of 240. To see more: --tail 2000");
    expect(await drawn(120, { tail: "240" }, true)).toHaveLength(240);
    expect(await drawn(2, {}, true)).toHaveLength(4);
  });

  it.each(["0", "-1", "all", "1.5"])("refuses --tail %s", async (tail) => {
    await expect(drawn(1, { tail })).rejects.toMatchObject({ code: "HISTORY_TAIL" });
  });
});
