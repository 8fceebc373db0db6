import type { ModelConfig } from "../config.ts";
import { errors } from "../errors.ts";
import type { Choice } from "./choice.ts";
import { parseName, resolveModel, type Sources } from "./resolve.ts";
import { sameAddress } from "./server-name.ts";

type CustomTable = Extract<ModelConfig, { type: "custom" }>;

/** The custom table with the provider and id of this model, if there is one. */
export function tableFor(asked: string, tables: readonly ModelConfig[]): CustomTable | undefined {
  return tablesFor(asked, tables)[0];
}

/** Resolves a model by name. Throws MODEL_AMBIGUOUS if tables give several addresses for it, and other MODEL_ errors. */
export async function resolveOne(
  table: ModelConfig,
  asked: string,
  from: Sources,
  tables: readonly ModelConfig[],
): Promise<Choice> {
  const [first, ...others] = tablesFor(asked, tables).map(({ baseUrl }) => baseUrl);
  const elsewhere = others.filter((each) => first !== undefined && !sameAddress(first, each));
  if (first !== undefined && elsewhere.length > 0)
    throw errors.MODEL_AMBIGUOUS({ asked, addresses: [first, ...elsewhere] });
  return resolveModel(table, asked, from);
}

function tablesFor(asked: string, tables: readonly ModelConfig[]): CustomTable[] {
  const name = parseName(asked);
  return tables.filter(
    (table): table is CustomTable =>
      table.type === "custom" && table.provider === name?.provider && table.id === name.id,
  );
}
