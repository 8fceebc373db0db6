import { extname, join, resolve } from "node:path";
import type { SlashContext } from "@scorel/commands/contract";
import type { ExportFormat } from "./contract.ts";

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  md: "md",
  markdown: "md",
  html: "html",
  htm: "html",
  jsonl: "jsonl",
};

/** `/export [format] [file]`: into the directory that the session works in, under a name of its own unless one is given. */
export async function exportFromChat(args: string, { sessionId, request }: SlashContext): Promise<string> {
  const { first, rest } = /^\s*(?<first>\S*)\s*(?<rest>.*?)\s*$/s.exec(args)?.groups ?? {};
  const named = formatNamed(first ?? "");
  const given = (named ? rest : args.trim()) ?? "";
  const format = named ?? formatBy(given) ?? "html";
  const { meta } = await request("get_status", { sessionId });
  const name = given === "" ? `scorel-${sessionId.slice(0, 8)}-${stamp()}.${format}` : given;
  const file = resolve(join(meta.cwd ?? "."), name);
  const { bytes } = await request("export_session", { sessionId, format, file });
  return `The conversation is in ${file} (${bytes} bytes).`;
}

/** The format that a file's name tells. */
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
