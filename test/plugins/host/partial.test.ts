import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyEvent, StoredEvent } from "@scorel/kernel";
import type { Store } from "@scorel/kernel/store";
import { describe, expect, it, vi } from "vitest";
import { createSessionStore } from "../../../plugins/host/storage/session-store.ts";
import { jsonlLogs } from "../../../plugins/logs/service.ts";
import { breakDevice, brokenDevices } from "../../broken-device.ts";
import { testHeader } from "../../harness.ts";
import { fc } from "../../property.ts";
import { secondProcess } from "../../second-process.ts";

const replyId = "reply00000000001";
const envelope = { sessionId: testHeader.sessionId, clientId: "test", ts: 7 };
const user = { type: "message", id: "user000000000001", parentId: null, seq: 1, ...envelope };
const delta = (text: string, type = "text_delta") => transient({ type, eventId: replyId, delta: text });
const start = transient({
  type: "message_start",
  eventId: replyId,
  parentId: user.id,
  role: "assistant",
  model: "b/c",
});

/** Stops the clock of this process that measures durations, until disposed. Timers go on. */
function stoppedClock(): Disposable {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  return { [Symbol.dispose]: () => clock.mockRestore() };
}

describe("the text of an arriving message", () => {
  it("is on disk before it is announced", async () => {
    using place = folder();
    await place.begin();
    for (const word of ["Hello", ", ", "world"]) {
      await place.store.stage?.(delta(word));
      expect(readFileSync(place.partial, "utf8")).toContain(JSON.stringify(word));
    }
  });

  it("is collected briefly, so that a fast stream causes few writes", async () => {
    using place = folder();
    await place.begin();
    // On a slow machine, the time between two of the calls could be as long as text is collected.
    using _stopped = stoppedClock();
    await place.store.stage?.(delta("first "));
    const waits = Array.from({ length: 100 }, (_, index) => place.store.stage?.(delta(`${index} `)));
    expect(new Set(waits).size).toBe(1);
    await waits[0];
    expect(readFileSync(place.partial, "utf8").trimEnd().split("\n")).toHaveLength(3);
  });

  it.each(Object.entries(brokenDevices))(
    "is kept from its first delta on without a gap when the disk failed with %s in between",
    async (reason, device) => {
      const failures: unknown[] = [];
      using place = folder((thrown) => failures.push(thrown));
      await place.begin();
      await place.store.stage?.(delta("one "));
      const repair = breakDevice(place.partial, device);
      await place.store.stage?.(delta("two "));
      repair();
      await place.store.stage?.(delta("three "));
      await place.store.stage?.(delta("four"));
      expect(failures).toEqual([expect.objectContaining({ code: reason })]);
      expect(place.reopened().at(-1)).toMatchObject({ message: { content: [{ type: "text", text: "one " }] } });
    },
  );

  it("leaves no file once the message is in the log, and delays nothing", async () => {
    using place = folder();
    await place.begin();
    await place.store.stage?.(delta("a"));
    const waiting = place.store.stage?.(delta("b"));
    place.store.append([record({ id: replyId, seq: 9 })]);
    await waiting;
    expect(existsSync(place.partial)).toBe(false);
  });

  it("leaves no file when the message is cancelled", async () => {
    using place = folder();
    await place.begin();
    await place.store.stage?.(delta("thought", "thinking_delta"));
    await place.store.stage?.(transient({ type: "message_cancelled", eventId: replyId, reason: "user_cancel" }));
    expect(existsSync(place.partial)).toBe(false);
  });

  it("is emptied if its file cannot be deleted, and the message is stored all the same", async () => {
    const failures: unknown[] = [];
    using place = folder((thrown) => failures.push(thrown));
    await place.begin();
    await place.store.stage?.(delta("a"));
    const moved = `${place.partial}.moved`;
    renameSync(place.partial, moved);
    mkdirSync(place.partial);
    place.store.append([record({ id: replyId, seq: 9 })]);
    expect([failures, readFileSync(moved, "utf8")]).toEqual([[expect.objectContaining({ syscall: "unlink" })], ""]);
    rmdirSync(place.partial);
    expect(place.reopened().map(({ id }) => id)).toEqual([user.id, replyId]);
  });

  it("is not collected for other messages, such as tool results", async () => {
    using place = folder();
    await place.begin();
    place.store.stage?.(transient({ type: "message_start", eventId: "tool", parentId: user.id, role: "tool_result" }));
    expect(place.store.stage?.(transient({ type: "text_delta", eventId: "tool", delta: "x" }))).toBeUndefined();
    expect(existsSync(place.partial)).toBe(false);
  });
});

describe("text left by a dead process", () => {
  it("becomes its message, with the same id and parent", async () => {
    using place = folder();
    await place.begin();
    place.store.append([record({ type: "session_info", id: "info000000000001", seq: 2, changes: { model: "a/b/c" } })]);
    for (const [word, type] of [
      ["Let me see", "thinking_delta"],
      ["Hello", "text_delta"],
      [" you", "text_delta"],
    ] as const)
      await place.store.stage?.(delta(word, type));
    const event = place.reopened().at(-1) as StoredEvent & { message: unknown };
    expect(event).toMatchObject({ type: "message", id: replyId, parentId: user.id, seq: 3, clientId: "test" });
    expect(event.message).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me see" },
        { type: "text", text: "Hello you" },
      ],
      provider: "a",
      model: "b/c",
      stopReason: "aborted",
      partial: true,
    });
    expect(existsSync(place.partial)).toBe(false);
    expect(place.reopened()).toHaveLength(3);
  });

  it("is shown but not written in read-only use", async () => {
    using place = folder();
    await place.begin();
    await place.store.stage?.(delta("Hello"));
    const before = readFileSync(place.log);
    rmSync(place.lock);
    expect(place.open({ readOnly: true })).toHaveLength(2);
    expect(readFileSync(place.log)).toEqual(before);
    expect(existsSync(place.partial)).toBe(true);
  });

  it.each([
    ["no word of it had arrived", [delta("only a thought", "thinking_delta")], []],
    ["the message is in the log", [delta("Hello")], [{ id: replyId }]],
    ["the conversation continued without it", [delta("Hello")], [{ id: "other00000000001", parentId: user.id }]],
  ])("is dropped when %s", async (_, heard, later) => {
    using place = folder();
    await place.begin();
    for (const event of heard) await place.store.stage?.(event);
    const kept = readFileSync(place.partial);
    for (const fields of later) place.store.append([record({ seq: 5, ...fields })]);
    writeFileSync(place.partial, kept);
    expect(place.reopened()).toHaveLength(1 + later.length);
    expect(existsSync(place.partial)).toBe(false);
  });

  it("is kept up to where the file was cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1 }),
        fc.nat(),
        async (words, at) => {
          using place = folder();
          await place.begin();
          for (const word of words) void place.store.stage?.(delta(word));
          await place.store.close();
          const whole = readFileSync(place.partial);
          writeFileSync(place.partial, whole.subarray(0, at % (whole.length + 1)));
          const [, reply] = place.reopened() as [
            StoredEvent,
            (StoredEvent & { message: { content: { text: string }[] } })?,
          ];
          const text = reply?.message.content[0]?.text ?? "";
          expect(words.join("").startsWith(text)).toBe(true);
          if (at % (whole.length + 1) === whole.length) expect(text).toBe(words.join(""));
        },
      ),
      { numRuns: 50 },
    );
  });

  it("contains everything that was announced when a process is killed", async () => {
    using place = folder();
    await using other = await secondProcess(new URL("streamer.ts", import.meta.url), place.directory, [
      place.log,
      JSON.stringify(testHeader),
    ]);
    let announced = "";
    for (let index = 0; index < 20; index++) announced += await other.line();
    await other.kill();
    const reply = place.reopened().at(-1) as StoredEvent & { message: { content: { text: string }[] } };
    expect(reply.message.content[0]?.text.startsWith(announced)).toBe(true);
  });
});

interface Place extends Disposable {
  directory: string;
  log: string;
  partial: string;
  lock: string;
  store: Store;
  /** Opens a new session with a user's message, and starts the reply. */
  begin(): Promise<void>;
  open(options: { readOnly: boolean }): readonly StoredEvent[];
  /** The log's events as another process finds them after this one died. */
  reopened(): readonly StoredEvent[];
}

function folder(onPartialFailure: (thrown: unknown) => void = rethrow): Place {
  const directory = mkdtempSync(join(tmpdir(), "scorel-partial-"));
  const base = join(directory, testHeader.sessionId);
  const [log, partial, lock] = [`${base}.jsonl`, `${base}.partial`, `${base}.lock`];
  const options = {
    logs: jsonlLogs,
    path: log,
    sessionId: testHeader.sessionId,
    onPartialFailure,
  };
  const store = createSessionStore({ ...options, create: testHeader });
  const open = ({ readOnly }: { readOnly: boolean }) => {
    const again = createSessionStore({ ...options, readOnly });
    const { ledger } = again.open();
    const events = Array.from({ length: ledger.size }, (_, row) => ledger.read(row) as StoredEvent);
    void again.close();
    return events;
  };
  return {
    directory,
    log,
    partial,
    lock,
    store,
    begin: async () => {
      store.open();
      store.append([JSON.stringify(user)]);
      await store.stage?.(start);
    },
    open,
    reopened: () => {
      rmSync(lock, { force: true });
      return open({ readOnly: false });
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function rethrow(thrown: unknown): never {
  throw thrown;
}

function transient(fields: object): AnyEvent {
  return { seq: 2, ...envelope, ...fields } as never;
}

function record(fields: object): string {
  return JSON.stringify({ ...user, ...fields });
}
