import type { ModelConfig } from "../config.ts";
import type { Providers } from "../providers/registry.ts";
import type { Sources } from "./resolve.ts";

type Known = Pick<Sources, "servers"> & { tables: readonly ModelConfig[] };
type CustomTable = Extract<ModelConfig, { type: "custom" }>;

/**
 * The provider name for the server at an address: the name in the table with this address, or else `wanted`, with a number appended if
 * that name is taken. So each `provider/id` means a model of a single server.
 */
export async function serverName(baseUrl: string, wanted: string, known: Known, providers: Providers): Promise<string> {
  const tables = known.tables.filter(isCustom);
  const isOther = (provider: string) =>
    tables.some((table) => table.provider === provider && !sameAddress(table.baseUrl, baseUrl));
  const own = tables.find((table) => sameAddress(table.baseUrl, baseUrl) && !isOther(table.provider));
  if (own) return own.provider;
  const taken = new Set(await takenNames(baseUrl, known, providers));
  let name = wanted;
  for (let next = 2; taken.has(name); next++) name = `${wanted}-${next}`;
  return name;
}

/** Whether two base URLs are the same apart from slashes at the end. */
export function sameAddress(one: string, other: string): boolean {
  return normal(one) === normal(other);
}

async function takenNames(baseUrl: string, { tables, servers }: Known, providers: Providers): Promise<string[]> {
  const { getProviders } = await import("@mariozechner/pi-ai");
  const elsewhere = servers.filter(({ port }) => new URL(baseUrl).origin !== `http://127.0.0.1:${port}`);
  return [
    "offline",
    ...getProviders(),
    ...providers.all().map(({ id }) => id),
    ...elsewhere.map(({ provider }) => provider),
    ...tables.flatMap((table) => (table.type === undefined ? [] : [table.provider])),
  ];
}

function isCustom(table: ModelConfig): table is CustomTable {
  return table.type === "custom";
}

function normal(address: string): string {
  return (URL.canParse(address) ? new URL(address).href : address).replace(/\/+$/, "");
}
