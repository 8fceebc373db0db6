import { createInterface } from "node:readline";
import { codeOf, createKernel, messageOf } from "@scorel/kernel";
import { createJsonlStore } from "../../plugins/logs/jsonl-store.ts";
import { testHeader } from "../harness.ts";
import { notes } from "../kernel/notes.ts";

/** Keeps a log open and appends a note for each line `<n> <length>` of its input; prints the outcome and the seq. */
const [path = ""] = process.argv.slice(2);
const store = createJsonlStore(path, { create: testHeader });
const { session } = await createKernel({ entries: [{ plugin: notes, origin: "test" }], store });
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [n, length] = line.split(" ");
  const text = `${n} ${"x".repeat(Number(length))}`;
  const outcome = await session.append("note", { text }).then(
    ({ seq }) => ({ seq }),
    (thrown: unknown) => ({ code: codeOf(thrown), message: messageOf(thrown) }),
  );
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
