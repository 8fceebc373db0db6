import { expect, it } from "vitest";
import { workshop } from "./workshop.ts";

it("the seven tools take at most 4.6 KB of the prompt", async () => {
  await using w = await workshop();
  const sent = w.tools.list().map(({ name, description, parameters }) => ({ name, description, parameters }));
  expect(sent.map(({ name }) => name)).toEqual(["Bash", "Edit", "Glob", "Grep", "Read", "TodoWrite", "Write"]);
  const bytes = sent.map((tool) => Buffer.byteLength(JSON.stringify(tool)));
  const total = bytes.reduce((sum, size) => sum + size, 0);
  console.log(`tool schemas: ${total} bytes (${sent.map(({ name }, index) => `${name} ${bytes[index]}`).join(", ")})`);
  expect(total).toBeLessThanOrEqual(4_600);
});
