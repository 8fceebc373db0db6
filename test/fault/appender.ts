import { existsSync } from "node:fs";
import { createKernel } from "@scorel/kernel";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";

/**
 * Appends notes forever, in batches of a given size with records of a given length; prints the number of each acknowledged
 * note.
 */
const [path = "", batch = "1", length = "10"] = process.argv.slice(2);
const store = createJsonlStore(path, existsSync(path) ? {} : { create: testHeader });
const { session } = await createKernel({ entries: [{ plugin: notes, origin: "test" }], store });
const filling = "x".repeat(Number(length));
for (let n = session.tree.size; ; n += Number(batch)) {
  const entries = Array.from({ length: Number(batch) }, (_, i) => ({
    type: "note" as const,
    payload: { text: `${n + i} ${filling}` },
  }));
  await session.appendAll(entries);
  process.stdout.write(`${n + Number(batch)}\n`);
}
