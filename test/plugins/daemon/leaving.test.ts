import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { othersDone } from "../../../plugins/daemon/leaving.ts";

it("a turn in a session that others have joined is said at once, and once, also when its session is left and the process ends", async () => {
  const written: string[] = [];
  const end = Date.now() + 300;
  const status = async () => ({ running: Date.now() < end, ...(Date.now() < end && { clients: 2 }) });
  const own = { request: status } as unknown as Client;
  const launch = { interrupt: new AbortController().signal, stderr: { write: (text: string) => written.push(text) } };
  const told = new Set<string>();
  const wait = () => othersDone({ launch } as never, own, { sessionIds: ["one"], told });
  await Promise.all([wait(), wait()]);
  expect(written).toEqual([
    `scorel: this process still runs a turn in a session that others have joined.
It waits for the end of that turn, and then exits.
Ctrl-C cancels the turn and exits now.
`,
  ]);
});
