import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { referencesIn } from "../../plugins/blobs/purge.ts";
import { usedBytes } from "../memory.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

it("a purge keeps only the hashes in memory, not the logs that it found them in", async () => {
  const folder = temporaryFolder("scorel-blobs-");
  const logs = Array.from({ length: 40 }, (_, at) => `s${at}.jsonl`);
  for (const log of logs)
    writeFileSync(join(folder, log), `${" ".repeat(1_000_000)}${JSON.stringify({ sha256: hash(log) })}`);
  const before = await usedBytes();
  const found = await referencesIn([folder]);
  expect((await usedBytes()) - before).toBeLessThan(10 * 1024 * 1024);
  expect([...found].sort()).toEqual(logs.map(hash).sort());
});
