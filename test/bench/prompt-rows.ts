/** What the first request of `coding` carries whatever is asked: the system prompt and the tools' schemas. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startModelServer, text } from "../model-server.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { bin, createHome, environment } from "./measure.mjs";

await using server = await startModelServer([text("Done.")]);
const { home, remove } = createHome(server.baseUrl);
try {
  const child = spawn(process.execPath, [bin, "--preset", "coding", "--yes", "-p", "go"], {
    cwd: home,
    env: environment(home),
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the command exited ${code}`);
  const request = await server.request(0);
  const { messages, tools } = request.body as { messages: { role: string }[]; tools: object[] };
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const bytes = Buffer.byteLength(JSON.stringify(system)) + Buffer.byteLength(JSON.stringify(tools));
  const baseline = Buffer.byteLength(JSON.stringify(tools)) / 1024;
  const work = "first request: system prompt and tools, against the tools alone";
  console.log(JSON.stringify([{ work, value: bytes / 1024, baseline, unit: "KB", limit: 6 }]));
} finally {
  remove();
}
