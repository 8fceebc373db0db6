import { extname } from "node:path";
import type { CommandResult, SlashContext } from "@scorel/commands/contract";
import { typedPath } from "@scorel/kit/files/typed-path";
import type { ExportFormat } from "../contract.ts";
import { errors } from "../errors.ts";

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  md: "md",
  markdown: "md",
  html: "html",
  htm: "html",
  jsonl: "jsonl",
};

/** Words that name a format in which sessions are not written, rather than a file. */
const OTHER_FORMATS = /^(?:json|txt|text|pdf|docx?|csv|xml|ya?ml)$/i;

/** Arguments of `/export`. If the first word is not a format, it is the start of the file name. */
interface Asked {
  format?: string | undefined;
  file?: string | undefined;
  force?: boolean | undefined;
}

/** Runs `/export [format] [file]`. Writes to the session's directory, with a generated name by default. */
export async function exportFromChat(asked: Asked, { sessionId, request }: SlashContext): Promise<CommandResult> {
  const named = formatNamed(asked.format ?? "");
  const given = [named ? undefined : asked.format, asked.file].filter(Boolean).join(" ");
  const ending = extname(given);
  const format = named ?? formatBy(given) ?? "html";
  if (!named && !formatBy(given) && ending !== "") throw errors.TRANSFER_ENDING({ ending });
  if (OTHER_FORMATS.test(given)) throw errors.TRANSFER_ENDING({ ending: given });
  const { meta } = await request("get_status", { sessionId });
  const name = given === "" ? `scorel-${sessionId.slice(0, 8)}-${stamp()}.${format}` : withEnding(given, format);
  const file = typedPath(name, meta.cwd ?? ".");
  const data = await request("export_session", { sessionId, format, file, force: asked.force === true });
  return { output: `The conversation is in ${file} (${data.bytes} bytes).`, data };
}

/** A file name without an ending gets that of the format. */
function withEnding(name: string, format: ExportFormat): string {
  return extname(name) === "" ? `${name}.${format}` : name;
}

/** Returns the format for a file name's extension. */
export function formatBy(file: string | undefined): ExportFormat | undefined {
  return formatNamed(extname(file ?? "").slice(1));
}

function formatNamed(name: string): ExportFormat | undefined {
  const known = name.toLowerCase();
  return Object.hasOwn(FORMATS, known) ? FORMATS[known] : undefined;
}

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
}
