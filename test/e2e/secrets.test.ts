import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const canary = "canary-7f3a9c1e5b";

function everyByte(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? everyByte(path) : readFileSync(path, "latin1")))
    .join("\n");
}

it("a key reaches its own host's header and nothing else, though the model prints every environment it can", async () => {
  using s = scratch();
  await using server = await startModelServer([
    [toolCall("Bash", { command: "env" }), toolCall("Bash", { command: "tr '\\0' '\\n' < /proc/$PPID/environ" })],
    text(`I saw ${canary}`, 4),
  ]);
  s.useModel(server.baseUrl, 'apiKeyEnv = "SCRIPTED_KEY"\n');
  const run = await s.run(["-p", "look around", "--output", "events"], {
    env: { SCRIPTED_KEY: canary, OPENAI_API_KEY: `${canary}-openai` },
  });
  expect(run).toMatchObject({ code: 0 });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${canary}`, `Bearer ${canary}`]);
  expect(
    [run.stdout, run.stderr, everyByte(s.home), ...server.requests.map((request) => request.text)].join("\n"),
  ).not.toContain(canary);
});
