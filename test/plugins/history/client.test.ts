import { PassThrough } from "node:stream";
import type { Invocation } from "@scorel/cli/contract";
import { expect, it } from "vitest";
import { withClient } from "../../../plugins/history/client.ts";
import { desk } from "./desk.ts";

/** The exit code or error of a command that asks a person in a terminal, who types so, interrupts it, or ends the input. */
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
])("a question in a terminal that is answered with %j comes to %s", async (typed, outcome) => {
  expect(await asked(typed)).toBe(outcome);
});
