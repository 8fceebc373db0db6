import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** A proxy in another process that forwards everything to `port`, and reports the first line of each request. */
export async function startProxy(port: number, refusal = 0) {
  const child = spawn(process.execPath, [fixture("proxy.mjs"), String(port), String(refusal)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const heard: string[] = [];
  const lines = createInterface({ input: child.stdout });
  const [own] = (await once(lines, "line")) as [string];
  lines.on("line", (line) => heard.push(line));
  const closed = once(child, "close");
  const close = async () => {
    child.stdin.end();
    await closed;
  };
  return { address: `127.0.0.1:${own}`, heard, close, [Symbol.asyncDispose]: close };
}
