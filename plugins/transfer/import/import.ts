import { join } from "node:path";
import type { OperationContext } from "@scorel/host/contract";
import type { SessionHeader, StoredEvent } from "@scorel/kernel";
import { isId } from "@scorel/kit/values/id";
import type { Imported, ImportFormat, ImportReport } from "../contract.ts";
import { errors } from "../errors.ts";
import { ClaudeCodeReader } from "../formats/claude-code.ts";
import { CodexReader } from "../formats/codex.ts";
import { OwnReader } from "../formats/own-log.ts";
import { PiReader } from "../formats/pi.ts";
import type { ImportTarget, Reader } from "../formats/reader.ts";
import { lineOf, recordIn } from "../json.ts";
import type { Importable } from "./importable.ts";
import { NewLog } from "./new-log.ts";
import { Report } from "./report.ts";
import { formatOf, headerOf, isHeader, recordsOf, type Source, withSource } from "./source.ts";
import { TreeBuilder } from "./tree-builder.ts";

const readers: Readonly<Record<ImportFormat, (target: ImportTarget, importable: Importable) => Reader>> = {
  scorel: (target, importable) => new OwnReader(target, importable),
  "claude-code": (target) => new ClaudeCodeReader(target),
  codex: (target) => new CodexReader(target),
  pi: (target) => new PiReader(target),
};

/** One pass over a file. A file is read twice, since the header is known only after the first pass. */
interface Pass {
  source: Source;
  format: ImportFormat;
  from: Partial<SessionHeader>;
  sessionId: string;
  at: number;
  importable: Importable;
  write(event: StoredEvent): void;
}

/** The operation `import_session`. */
export function importSession(
  { file, cwd, format }: { file: string; cwd: string; format?: ImportFormat | undefined },
  {
    announce,
    assertOperations,
    importable,
    logs,
    newHeader,
    sessionsDir,
  }: Pick<OperationContext, "announce" | "assertOperations" | "importable" | "logs" | "newHeader" | "sessionsDir">,
): Promise<ImportReport> {
  // An imported session has no parent, and so none of the limits that an exported child session had.
  assertOperations("all", "import_session");
  return withSource(file, async (source) => {
    const known = format ?? (await formatOf(source));
    const header = newHeader(cwd);
    const from = known === "scorel" ? await headerOf(source, logs.version) : {};
    const types: Importable = known === "scorel" ? await importable(cwd) : new Map();
    const pass = {
      source,
      format: known,
      from,
      sessionId: header.sessionId,
      at: header.createdAt,
      importable: types,
    };
    const first = await read({ ...pass, write: () => {} });
    if (first.report.messages === 0) throw errors.TRANSFER_EMPTY({ path: file });
    const earlier = earlierImports(first.report.origin, known, { logs, sessionsDir });
    const log = new NewLog(logs, sessionsDir, headerFor(header, pass, first));
    try {
      const { builder, report } = await read({ ...pass, write: (event) => log.add(event) });
      await log.finish();
      announce(header.sessionId);
      const { cwd: works } = header.meta as { cwd: string };
      const told = report.of({ sessionId: header.sessionId, format: known, cwd: works, events: builder.size });
      return { ...told, text: [told.text, ...earlier].join("\n") };
    } catch (thrown) {
      await log.discard();
      throw thrown;
    }
  });
}

/** One line for each session that was imported before from the same original, as a reader may not want it twice. */
function earlierImports(
  { sessionId: original }: Report["origin"],
  format: ImportFormat,
  { logs, sessionsDir }: Pick<OperationContext, "logs" | "sessionsDir">,
): string[] {
  if (original === undefined) return [];
  return logs.list(sessionsDir).flatMap((sessionId) => {
    const { from, sessionId: known } = recordIn(
      recordIn(metaOf(join(sessionsDir, sessionId + logs.ending), logs)).imported,
    );
    return from === format && known === original
      ? [`The same conversation was imported before, as session ${sessionId}.`]
      : [];
  });
}

/** The description in a log's header; undefined for a log whose header cannot be read. */
function metaOf(path: string, logs: OperationContext["logs"]): unknown {
  try {
    return logs.header(path).header.meta;
  } catch {
    return undefined;
  }
}

interface Read {
  builder: TreeBuilder;
  report: Report;
}

async function read({ source, format, from, sessionId, at, importable, write }: Pass): Promise<Read> {
  const report = new Report();
  const builder = new TreeBuilder({ sessionId, source: format, at, report, write });
  let name = lineOf(recordIn(from.meta).name, 200);
  const named = (given: string) => {
    name = given || name;
  };
  const reader = readers[format]({ builder, report, named }, importable);
  report.setOrigin(from.sessionId, recordIn(from.meta).cwd);
  for await (const record of recordsOf(source, report, from.checksum === "crc32"))
    if (format !== "scorel" || !isHeader(record)) reader.take(record);
  reader.end();
  if (name !== "") builder.beside("session_info", { changes: { name } }, {});
  return { builder, report };
}

/** Creates the header of the new session. The original's ids are recorded for display and not trusted. */
function headerFor(
  header: SessionHeader,
  { format, from, at }: Omit<Pass, "write">,
  { builder, report }: Read,
): SessionHeader {
  const { sessionId, cwd } = report.origin;
  const cloned = linkOf(from.clonedFrom);
  const imported: Imported = {
    from: format,
    at,
    ...(sessionId !== undefined && { sessionId }),
    ...(cwd !== undefined && { cwd }),
    ...(cloned && { clonedFrom: cloned }),
  };
  const clonedFrom = linkOf({ ...from, eventId: builder.knows(builder.leaf) ? builder.leaf : undefined });
  return { ...header, ...(clonedFrom && { clonedFrom }), meta: { ...header.meta, imported } };
}

function linkOf(given: unknown): Imported["clonedFrom"] {
  const { deviceId, sessionId, eventId } = recordIn(given);
  return isId(deviceId) && isId(sessionId) && isId(eventId) ? { deviceId, sessionId, eventId } : undefined;
}
