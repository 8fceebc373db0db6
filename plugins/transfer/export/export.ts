import { isAbsolute } from "node:path";
import type { OperationContext, Operations, SessionHandle } from "@scorel/host/contract";
import type { ExportFormat } from "../contract.ts";
import { errors } from "../errors.ts";
import { writeOut } from "./out-file.ts";
import { anyKeys, knownSecrets } from "./redaction.ts";

/** Maximum characters of a result without a file; JavaScript strings have a limit. */
const LONGEST_ANSWER = 2 ** 28;

type Asked = Operations["export_session"]["params"];

/** The operation `export_session`. */
export async function exportSession(
  { sessionId, format, file, force = false, path = false }: Asked,
  { look, logs }: Pick<OperationContext, "look" | "logs">,
): Promise<Operations["export_session"]["result"]> {
  if (file !== undefined && !isAbsolute(file))
    throw errors.TRANSFER_FILE({ path: file, reason: "it is not an absolute path" });
  return look(sessionId, async (session) => {
    const chunks = await chunksOf(session, format, path, logs.version);
    const { id } = session;
    if (file !== undefined) return { sessionId: id, file, bytes: await writeOut(file, chunks, force) };
    const content = await joined(chunks, id);
    return { sessionId: id, bytes: Buffer.byteLength(content), content };
  });
}

/** Joins the chunks; throws TRANSFER_LONG when the text is longer than `longest`. */
export async function joined(
  chunks: AsyncIterable<string>,
  sessionId: string,
  longest: number = LONGEST_ANSWER,
): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > longest) throw errors.TRANSFER_LONG({ sessionId });
    parts.push(chunk);
  }
  return parts.join("");
}

/** Returns the exported text in chunks. Loads only the code for the given format. */
async function chunksOf(
  { kernel }: SessionHandle,
  format: ExportFormat,
  path: boolean,
  version: number,
): Promise<AsyncIterable<string>> {
  const { session } = kernel;
  if (format === "jsonl")
    return (await import("./jsonl-log.ts")).logLines(session, knownSecrets(kernel), path, version);
  if (format === "md") return (await import("./markdown-page.ts")).markdownPage(session, anyKeys(kernel));
  return (await import("./html-page.ts")).htmlPage(session, anyKeys(kernel));
}
