import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Compiles a file without running it, and returns its syntax error, if any. The compiler puts the error into the code. */
export async function parse(
  path: string,
  source = readFileSync(path, "utf8"),
): Promise<{ where: string; reason: string } | undefined> {
  const { createJiti } = await import("jiti");
  const options = { filename: path, source, ts: /ts$/.test(path) };
  const code = createJiti(resolve(path), { fsCache: false }).transform(options);
  const [, mistake] = /^exports\.__JITI_ERROR__ = (\{.*\})/.exec(code) ?? [];
  if (mistake === undefined) return undefined;
  const { line, message } = JSON.parse(mistake) as { line: number; message: string };
  return { where: `${path}:${line}`, reason: message.trim() };
}
