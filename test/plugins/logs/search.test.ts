import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@scorel/kernel";
import { expect } from "vitest";
import { createJsonlStore } from "../../../plugins/logs/jsonl-store.ts";
import { LogFile } from "../../../plugins/logs/log-file.ts";
import { scanFile } from "../../../plugins/logs/scan.ts";
import { TextSearch } from "../../../plugins/logs/text-search.ts";
import { testHeader } from "../../harness.ts";
import { notes } from "../../kernel/notes.ts";
import { itWith } from "../../optional.ts";

/** The number of bytes that this process has read from files and other sources. */
const bytesRead = () => Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);

itWith("linux", "a repeated search for a text reads only what was added since", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scorel-search-"));
  try {
    const path = join(folder, "s.jsonl");
    const kernel = await createKernel({
      entries: [{ plugin: notes, origin: "test" }],
      store: createJsonlStore(path, { create: testHeader }),
    });
    for (let n = 0; n < 300; n++)
      await kernel.session.append("note", { text: n % 100 === 0 ? "needle" : "straw ".repeat(1_000) });
    await kernel.stop();
    const file = new LogFile(path);
    scanFile(file);
    const texts = new TextSearch(file);
    const sought = (first: number) => {
      const before = bytesRead();
      const rows = texts.rowsWith("needle", first);
      return { rows, isRead: bytesRead() - before > file.size / 2 };
    };
    expect(sought(0)).toEqual({ rows: [0, 100, 200], isRead: true });
    expect(sought(0)).toEqual({ rows: [0, 100, 200], isRead: false });
    expect(sought(100)).toEqual({ rows: [100, 200], isRead: false });
    const record = `${JSON.stringify({ type: "note", text: "needle" })}\n`;
    const at = file.size;
    appendFileSync(path, record);
    file.place(at, record.length - 1);
    expect(sought(150)).toEqual({ rows: [200, 300], isRead: false });
    const long = `${JSON.stringify({ type: "note", text: "straw ".repeat(1_000) })}\n`;
    for (let n = 0; n < 400; n++) {
      appendFileSync(path, long);
      file.place(file.size, long.length - 1);
    }
    expect(sought(150)).toEqual({ rows: [200, 300], isRead: true });
    expect(sought(150)).toEqual({ rows: [200, 300], isRead: false });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
