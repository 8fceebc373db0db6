import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { RecordedRequest, Reply } from "./model-server.ts";

export interface ModelServerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly baseUrl: string;
  /** The requests so far, in order. */
  readonly requests: readonly Omit<RecordedRequest, "over">[];
  close(): Promise<void>;
}

/** Starts a model server in a separate process, which ends with its stdin and so never outlives this process. */
export async function spawnModelServer(script: readonly Reply[]): Promise<ModelServerProcess> {
  const jiti = join(dirname(createRequire(import.meta.url).resolve("jiti/package.json")), "lib/jiti-cli.mjs");
  const main = fileURLToPath(new URL("model-server-main.ts", import.meta.url));
  const child = spawn(process.execPath, [jiti, main], { stdio: ["pipe", "pipe", "inherit"] });
  const requests: Omit<RecordedRequest, "over">[] = [];
  const exited = once(child, "exit");
  const baseUrl = new Promise<string>((resolve, reject) => {
    exited.then(([code]) => reject(new Error(`The model server ended with ${code} before it listened.`)), reject);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as { baseUrl?: string; request?: RecordedRequest };
      if (said.baseUrl) resolve(said.baseUrl);
      if (said.request) requests.push(said.request);
    });
  });
  child.stdin.write(`${JSON.stringify(script)}\n`);
  const close = async () => {
    child.stdin.end();
    await exited;
  };
  return { pid: child.pid as number, baseUrl: await baseUrl, requests, close, [Symbol.asyncDispose]: close };
}
