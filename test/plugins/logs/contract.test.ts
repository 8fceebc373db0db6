import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type StoredEvent } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import type { Logs } from "@scorel/logs/contract";
import { describe, expect, it } from "vitest";
import { createExtensionLoader } from "../../../plugins/extensions/load/loader.ts";
import { jsonlLogs } from "../../../plugins/logs/service.ts";
import { type StorePlace, storeContract } from "../../contracts/store.ts";
import { testHeader } from "../../harness.ts";
import { describeUnless } from "../../optional.ts";

/** A log in a temporary folder. */
function inFolder(logs: Logs): StorePlace & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "scorel-store-"));
  const path = join(folder, testHeader.sessionId + logs.ending);
  return {
    folder,
    open: (options) => logs.open(path, options),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The memory store does not persist, so opening it again replays the recorded events. */
function inMemory(): StorePlace {
  let store: ReturnType<typeof createMemoryStore> | undefined;
  return {
    open: () => {
      store = createMemoryStore(
        testHeader,
        store?.records.map((record) => JSON.parse(record) as StoredEvent),
      );
      return store;
    },
    [Symbol.dispose]: () => {},
  };
}

describe("the memory store", () => {
  storeContract({ place: inMemory, readOnly: false });
});

function logsContract(logs: Logs): void {
  storeContract({ place: () => inFolder(logs), readOnly: true });

  it("lists, reads the header of, and checks the logs of a folder", async () => {
    using place = inFolder(logs);
    expect(logs.list(join(place.folder, "none"))).toEqual([]);
    const store = place.open({ create: testHeader });
    store.open();
    expect(readdirSync(place.folder)).toEqual([]);
    const event = { type: "note", id: "event00000000001", parentId: null, seq: 1, ts: 1, clientId: "c" };
    store.append([JSON.stringify({ ...event, sessionId: testHeader.sessionId })]);
    await store.close();
    expect(logs.list(place.folder)).toEqual([testHeader.sessionId]);
    const path = join(place.folder, testHeader.sessionId + logs.ending);
    expect(logs.header(path)).toMatchObject({ header: { ...testHeader }, problems: expect.any(Array) });
    const { ledger, header, bytes, placeOf } = logs.scan(path);
    expect([ledger.size, ledger.read(0)?.id, header.epoch]).toEqual([1, event.id, testHeader.epoch]);
    expect([bytes > 0, placeOf(0).line > 0]).toEqual([true, true]);
    expect(() => logs.header(join(place.folder, `none${logs.ending}`))).toThrow(
      expect.objectContaining({ code: "STORE_READ" }),
    );
  });
}

describe("logs as files of JSON lines", () => {
  logsContract(jsonlLogs);
});

/** The service of the example, loaded like an extension. */
async function loadExample(): Promise<Logs> {
  const cache = mkdtempSync(join(tmpdir(), "scorel-cache-"));
  try {
    const load = createExtensionLoader({ folder: cache, keyFile: join(cache, "key") });
    const file = join(import.meta.dirname, "../../../docs/examples/sqlite-logs/index.ts");
    const plugin = await load({ id: "logs", path: file, file, of: "user" });
    const kernel = await createKernel({ entries: [{ plugin, origin: file }], store: createMemoryStore(testHeader) });
    return kernel.find("logs") as Logs;
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}
const sqliteLogs = await loadExample();

/** Node.js contains it since 22.13. */
const hasSqlite = process.getBuiltinModule("node:sqlite" as never) !== undefined;
const missing = hasSqlite ? undefined : `Node ${process.version} has no node:sqlite`;

describeUnless("sqlite", missing, "the example that keeps logs in SQLite", () => {
  logsContract(sqliteLogs);
});

if (!hasSqlite)
  it("the example that stores logs in SQLite reports what is missing", () => {
    using place = inFolder(sqliteLogs);
    const store = place.open({ create: testHeader });
    store.open();
    expect(() => store.append(["{}"])).toThrow(
      expect.objectContaining({
        code: "SQLITE_MISSING",
        message: expect.stringMatching(/Node\.js 22\.13 or newer, or install better-sqlite3/),
      }),
    );
    expect(readdirSync(place.folder)).toEqual([]);
    expect(readFileSync(join(import.meta.dirname, "../../../docs/examples/sqlite-logs/sqlite.toml"), "utf8")).toContain(
      'without = ["logs"]',
    );
  });
