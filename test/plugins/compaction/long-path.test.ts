import type { StoredEvent } from "@scorel/kernel";
import { createMemoryStore, type Store } from "@scorel/kernel/store";
import { expect, it } from "vitest";
import { noUsage } from "../../../plugins/kit/session/usage.ts";
import { testHeader } from "../../harness.ts";
import { text } from "../../model-server.ts";
import { asksForSummary, openCompacting, playing, saidIn } from "./setup.ts";

const MESSAGES = 8_000;
/** A text of a hundred tokens, so that the window holds a hundred messages. */
const said = (n: number) => `message ${n} `.padEnd(400, "x");

function history(): StoredEvent[] {
  return Array.from({ length: MESSAGES }, (_, n) => {
    const reply = { role: "assistant", api: "x", provider: "x", model: "x", usage: noUsage(), stopReason: "stop" };
    const message =
      n % 2 === 0
        ? { role: "user", content: said(n), timestamp: n }
        : { ...reply, content: [{ type: "text", text: said(n) }], timestamp: n };
    const place = { id: `id${n}`, parentId: n === 0 ? null : `id${n - 1}`, seq: n + 1 };
    return { type: "message", ...place, sessionId: testHeader.sessionId, clientId: "test", ts: n, message };
  });
}

/** A store that records which of its rows were read. */
function counting(store: Store): { store: Store; read: Set<number> } {
  const read = new Set<number>();
  const open: Store["open"] = (onDamage) => {
    const opened = store.open(onDamage);
    const { read: readRow } = opened.ledger;
    opened.ledger.read = (row) => {
      read.add(row);
      return readRow(row);
    };
    return opened;
  };
  return { store: { ...store, open }, read };
}

it("summarizes a conversation far longer than the window without reading all of it", async () => {
  const { store, read } = counting(createMemoryStore(testHeader, history()));
  await using t = await openCompacting(
    playing([text("done")], () => text("What was said.")),
    { kernel: { store } },
  );
  read.clear();
  expect(await (await t.agent.send("go on")).turn).toMatchObject({ reason: "completed", text: "done" });
  const [asked, sent] = t.server.requests as [(typeof t.server.requests)[0], (typeof t.server.requests)[0]];
  expect([asked, sent].map(asksForSummary)).toEqual([true, false]);
  const quoted = saidIn(asked).at(-1) as string;
  expect(quoted).toContain("message 0 ");
  expect(quoted).toMatch(/\[7\d\d\d parts left out\]/);
  const compact = [...t.session.tree.ofType("compact")].at(-1)!;
  const through = Number(compact.compactedThrough.slice(2));
  expect(through).toBeGreaterThan(MESSAGES - 100);
  expect(quoted).toContain(`message ${through} `);
  expect(saidIn(sent)).toEqual([
    expect.stringContaining("What was said."),
    ...Array.from(
      { length: MESSAGES - 1 - through },
      (_, n) => `${n % 2 === 0 ? "user" : "assistant"}: ${said(through + 1 + n)}`,
    ),
    "user: go on",
  ]);
  expect(read.size).toBeLessThan(1_500);
});
