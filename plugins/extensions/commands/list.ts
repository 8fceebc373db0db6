import type { Invocation } from "@scorel/cli/contract";
import type { ExtensionsService, PluginRow } from "../contract.ts";

/** `plugin list`. */
export async function list(extensions: ExtensionsService, { options, stdout }: Invocation): Promise<number> {
  const rows = await extensions.list();
  stdout.write(options.output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : listed(rows));
  return 0;
}

/** Formats one line for each plugin, followed by why it is not loaded and what it does. */
export function listed(rows: readonly PluginRow[]): string {
  const width = Math.max(0, ...rows.map(({ id }) => id.length));
  return rows.flatMap((row) => [line(row, width), ...details(row)].map((text) => `${text}\n`)).join("");
}

function line({ id, scope, state, loadMs, of, origin }: PluginRow, width: number): string {
  const time = loadMs === undefined ? "" : `${loadMs.toFixed(1)} ms`;
  const cells = [id.padEnd(width), scope.padEnd("session".length), state.padEnd("untrusted".length), time.padStart(9)];
  return [...cells, of.padEnd("shipped".length), origin].join("  ").trimEnd();
}

function details({ reason, installed, ...row }: PluginRow): string[] {
  const lists = (["provides", "needs", "hooks", "events", "contributes"] as const).filter((key) => row[key].length > 0);
  const does = lists.map((key) => `${key}: ${row[key].join(", ")}`).join("; ");
  const version = installed?.version === undefined ? "" : ` ${installed.version}`;
  const source = installed === undefined ? "" : `installed:${version} from ${installed.from}`;
  return [reason ?? "", source, does].filter((text) => text !== "").map((text) => `  ${text}`);
}
