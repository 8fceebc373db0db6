/** The size of the fixed part of the first request of `coding`: the system prompt and the tools' schemas. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer, text } from "../model-server.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { bin, createHome, environment } from "./measure.mjs";

const LEAN = 'extends = "coding"\nwithout = ["skills", "runner"]\n';

await using server = await startModelServer(() => text("Done."));
const { home, remove } = createHome(server.baseUrl);
try {
  mkdirSync(join(home, ".scorel/presets"));
  writeFileSync(join(home, ".scorel/presets/lean.toml"), LEAN);
  const work = "system prompt and tools, against the tools alone";
  const rows = [
    { work: `first request without skills: ${work}`, ...(await sizes("lean", 0)), unit: "KB", limit: 6 },
    { work: `first request: ${work}`, ...(await sizes("coding", 1)), unit: "KB", limit: 7, was: "8.74 KB" },
  ];
  console.log(JSON.stringify(rows));
} finally {
  remove();
}

/** Sizes in kilobytes: prompt and schemas, and the schemas alone as the baseline. */
async function sizes(preset: string, at: number): Promise<{ value: number; baseline: number }> {
  const child = spawn(process.execPath, [bin, "--preset", preset, "--yes", "-p", "go"], {
    cwd: home,
    env: environment(home),
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`the command exited ${code}`);
  const { messages, tools } = (await server.request(at)).body as { messages: { role: string }[]; tools: object[] };
  const system = messages.filter(({ role }) => role === "system" || role === "developer");
  const baseline = Buffer.byteLength(JSON.stringify(tools));
  return { value: (Buffer.byteLength(JSON.stringify(system)) + baseline) / 1024, baseline: baseline / 1024 };
}
