import { extname, resolve } from "node:path";
import type { Invocation } from "@scorel/cli/contract";
import { printAnswer } from "@scorel/host/command-line";
import type { Client, HostService } from "@scorel/host/contract";
import { typedPath } from "@scorel/kit/files/typed-path";
import type { ExportFormat, ImportFormat } from "../contract.ts";
import { errors } from "../errors.ts";
import { formatBy } from "./slash.ts";

/** Runs `session export`. */
export function exportTo(host: HostService | undefined, invocation: Invocation): Promise<number> {
  const { args, options, stderr } = invocation;
  const { format, out } = options as { format?: ExportFormat; out?: string };
  return printed(host, invocation, async (client) => {
    const done = await client.request("export_session", {
      sessionId: args[0] as string,
      format: format ?? formatOf(out),
      // A shell leaves the `~` in --out=~/talk.html as it is.
      ...(out !== undefined && { file: typedPath(out, process.cwd()) }),
      force: options.force === true,
      path: options.path === true,
    });
    if (done.file !== undefined) stderr.write(`${done.file}: ${done.bytes} bytes\n`);
    return done.content ?? "";
  });
}

/** The format for a file, by its ending; Markdown if it has none. Throws TRANSFER_ENDING. */
function formatOf(file: string | undefined): ExportFormat {
  const format = formatBy(file);
  const ending = extname(file ?? "");
  if (!format && ending !== "") throw errors.TRANSFER_ENDING({ ending });
  return format ?? "md";
}

/** Runs `session import`. */
export function importFrom(host: HostService | undefined, invocation: Invocation): Promise<number> {
  const { args, options, cwd } = invocation;
  const { format, output } = options as { format: ImportFormat | "auto"; output: string };
  return printed(host, invocation, async (client) => {
    const report = await client.request("import_session", {
      // Relative to the shell's directory, even when --cwd sets another working directory for the session.
      file: resolve(args[0] as string),
      cwd,
      ...(format !== "auto" && { format }),
    });
    const { text, ...facts } = report;
    return output === "json" ? `${JSON.stringify(facts)}\n` : `${text}\n`;
  });
}

async function printed(
  host: HostService | undefined,
  invocation: Invocation,
  work: (client: Client) => Promise<string>,
): Promise<number> {
  if (!host) throw errors.TRANSFER_NO_HOST();
  return printAnswer(host, invocation, work);
}
