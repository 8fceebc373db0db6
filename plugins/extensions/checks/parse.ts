import { readFileSync } from "node:fs";

/** Compiles a file without running it, and returns its syntax error, if any. The compiler puts the error into the code. */
export async function parse(path: string): Promise<{ where: string; reason: string } | undefined> {
  const { createJiti } = await import("jiti");
  const source = readFileSync(path, "utf8");
  const options = { filename: path, source, ts: /ts$/.test(path) };
  const code = createJiti(path, { fsCache: false }).transform(options);
  const [, mistake] = /^exports\.__JITI_ERROR__ = (\{.*\})/.exec(code) ?? [];
  if (mistake === undefined) return undefined;
  const { line, message } = JSON.parse(mistake) as { line: number; message: string };
  return { where: `${path}:${line}`, reason: message.trim() };
}
