import { expect, it } from "vitest";
import { scanLog } from "../../../plugins/logs/scan.ts";
import { fc } from "../../property.ts";
import { type Desk, desk } from "./desk.ts";
import { claudeFile, codexFile, lines, piFile } from "./peers.ts";

type Json = unknown;

/** Replaces one value of a record, which `at` counts down to. */
function changed(value: Json, at: { left: number }, by: Json): Json {
  if (at.left-- === 0) return by;
  if (Array.isArray(value)) return value.map((item) => changed(item, at, by));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner, at, by)]));
}

const own = lines(
  { version: 1, sessionId: "abcdefgh1234", deviceId: "d", createdAt: 1, epoch: "e", meta: { cwd: "/root" } },
  ...[
    { type: "message", message: { role: "user", content: [{ type: "text", text: "one" }], timestamp: 1, meta: {} } },
    {
      type: "message",
      message: {
        ...{
          role: "assistant",
          content: [
            { type: "thinking", thinking: "t" },
            { type: "toolCall", id: "c", name: "n", arguments: {} },
          ],
        },
        ...{
          api: "a",
          provider: "p",
          model: "m",
          usage: { input: 1, cost: { total: 1 } },
          stopReason: "toolUse",
          timestamp: 1,
        },
      },
    },
    {
      type: "message",
      message: { role: "tool_result", toolCallId: "c", toolName: "n", content: [], isError: false, timestamp: 1 },
    },
    { type: "compact", summary: "s", compactedThrough: "event0001", tokensBefore: 1, tokensAfter: 1 },
    { type: "harness_item", kind: "memory", origin: "user", visibility: "both", text: "x" },
    { type: "custom_message", kind: "k", message: { role: "user", content: "x", timestamp: 1 } },
    { type: "session_info", changes: { name: "n" } },
    { type: "channel_inject", channel: "c", externalId: "x", metadata: {} },
    { type: "rewind", targetEventId: "event0001" },
    { type: "custom", kind: "k", data: 1 },
    { type: "branch", leafEventId: "event0002" },
  ].map((event, index) => ({
    ...{ id: `event000${index}`, parentId: index === 0 ? null : `event000${index - 1}`, seq: index + 1 },
    ...{ sessionId: "abcdefgh1234", clientId: "c", ts: index },
    ...event,
  })),
);
const files = { own, claude: claudeFile, codex: codexFile, pi: piFile };

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<Json[]>(
    "__proto__",
    "constructor",
    "../../x",
    "",
    null,
    -1,
    1e300,
    [],
    {},
    [[]],
    "event0001",
    "u3",
    "a4",
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const changes = fc.array(fc.record({ row: fc.nat(30), at: fc.nat(40), by: value }), { minLength: 1, maxLength: 8 });

/** Checks that an imported session is sound, can be read, and is drawn. */
async function isWhole(t: Desk, content: string): Promise<void> {
  const brought = await t.import(content).catch((thrown: { code?: string }) => {
    expect(thrown.code).toMatch(/^TRANSFER_(UNKNOWN|EMPTY|NEWER)$/);
  });
  if (!brought) return;
  const { report, session, events, delivered } = brought;
  expect(scanLog(t.home.session(`${report.sessionId}.jsonl`)).problems).toEqual([]);
  expect(
    events.every(({ ts, parentId }) => Number.isSafeInteger(ts) && (parentId === null || session.tree.has(parentId))),
  ).toBe(true);
  for (const { id } of session.tree.leaves()) session.buildContext(id);
  expect(delivered.every(({ display }) => typeof display.display === "string")).toBe(true);
  for (const format of ["html", "md"] as const)
    await t.client.request("export_session", { sessionId: report.sessionId, format });
  const { notices } = await t.client.request("get_status", { sessionId: report.sessionId });
  expect(notices).toEqual([]);
  await t.client.request("close_session", { sessionId: report.sessionId });
}

it.each(Object.entries(files))(
  "a file with any value in any place is refused, or makes a valid session: %s",
  async (_name, file) => {
    await using t = await desk();
    const rows = file.split("\n");
    await fc.assert(
      fc.asyncProperty(changes, async (changed_) => {
        const torn = rows.map((row) => JSON.parse(row) as Json);
        for (const { row, at, by } of changed_) {
          const index = row % torn.length;
          torn[index] = changed(torn[index], { left: at }, by);
        }
        await isWhole(t, lines(...torn.map((row) => JSON.stringify(row))));
      }),
      { numRuns: 30 },
    );
  },
  60_000,
);
