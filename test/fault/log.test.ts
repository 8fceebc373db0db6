import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type Kernel } from "@scorel/kernel";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOG_VERSION } from "../../plugins/logs/header.ts";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { scanLog } from "../../plugins/logs/scan.ts";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";
import { secondProcess } from "../second-process.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorel-fault-"));
  path = join(folder, "s.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (options: Parameters<typeof createJsonlStore>[1] = {}, at = path): Promise<Kernel> =>
  createKernel({ entries: [{ plugin: notes, origin: "test" }], store: createJsonlStore(at, options) });
const numbers = (kernel: Kernel) =>
  [...kernel.session.tree].flatMap((event) => ("text" in event ? [Number.parseInt(String(event.text), 10)] : []));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("a process killed while it appends", () => {
  it.each([
    ["records of 2 KB", 1, 2_000, 20],
    ["batches of 64", 64, 2_000, 20],
    ["records of 4 MB", 1, 4_000_000, 10],
  ])("leaves every acknowledged event once and in order: %s", async (_what, batch, length, runs) => {
    for (let run = 0; run < runs; run++) {
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), "scorel-fault-"));
      path = join(folder, "s.jsonl");
      await using appender = await secondProcess(new URL("appender.ts", import.meta.url), folder, [
        path,
        String(batch),
        String(length),
      ]);
      let acknowledged = 0;
      for (let line = 0; line <= run; line++) acknowledged = Number(await appender.line());
      await appender.kill();
      const kernel = await open();
      const found = numbers(kernel);
      expect(found).toEqual(upTo(found.length));
      expect(found.length).toBeGreaterThanOrEqual(acknowledged);
      const seqs = [...kernel.session.tree].map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      await kernel.session.append("note", { text: `${found.length} after` });
      await kernel.stop();
      expect(scanLog(path).problems).toEqual([]);
    }
  });
});

describe("a log that is cut at any byte of its last three records", () => {
  it("loses only the cut record, saves its bytes in another file, and can be continued", async () => {
    const kernel = await open({ create: { ...testHeader, version: LOG_VERSION } });
    for (const n of upTo(6)) await kernel.session.append("note", { text: `${n} ${"ü".repeat(n)}` });
    await kernel.stop();
    const { places, bytes } = scanLog(path);
    const whole = readFileSync(path);
    for (let cut = (places[3] as { offset: number }).offset; cut <= bytes; cut++) {
      const copy = join(folder, `cut${cut}.jsonl`);
      copyFileSync(path, copy);
      truncateSync(copy, cut);
      const reopened = await open({}, copy);
      // A record that lacks only its newline is complete.
      const kept = places.filter((_place, n) => (places[n + 1]?.offset ?? bytes) - 1 <= cut).length;
      expect(numbers(reopened)).toEqual(upTo(kept));
      await reopened.session.append("note", { text: `${kept} after` });
      await reopened.stop();
      const torn = readdirSync(folder).find((name) => name.startsWith(`cut${cut}.torn`));
      const start = places[kept]?.offset ?? bytes;
      expect(torn === undefined ? "" : readFileSync(join(folder, torn), "latin1")).toBe(
        whole.toString("latin1", start, Math.max(start, cut)),
      );
      expect([scanLog(copy).problems, numbers(await open({ readOnly: true }, copy))]).toEqual([[], upTo(kept + 1)]);
    }
  });
});
