import { customApis, flawOfUrl } from "@scorel/kit/schema/model-table";
import { describeIssues } from "@scorel/kit/values/issue-text";
import { z } from "zod";
import type { ModelProvider, ProviderModel } from "../contract.ts";

/** A provider that a plugin contributes. */
export interface OwnedProvider {
  id: string;
  plugin: string;
  provider: ModelProvider;
  /** True if the provider has the id of one that Scorel knows, and replaces it. */
  replacesKnown: boolean;
}

/** A model whose requests a plugin's function makes. */
export interface OwnStream extends OwnedProvider {
  listed: ProviderModel;
}

/** The schemas, created for the first provider, since most sessions have none. */
let made: ReturnType<typeof makeSchemas> | undefined;

function schemas() {
  made ??= makeSchemas();
  return made;
}

function makeSchemas() {
  const price = z.number().min(0).optional();
  const count = z.number().int().positive();
  const functionSchema = z.custom((value) => typeof value === "function", { error: "must be a function" });

  const modelSchema = z.strictObject({
    id: z.string().min(1),
    contextWindow: count,
    maxTokens: count,
    reasoning: z.boolean().optional(),
    input: z
      .array(z.enum(["text", "image"]))
      .min(1)
      .optional(),
    cost: z.strictObject({ input: price, output: price, cacheRead: price, cacheWrite: price }).optional(),
    idleTimeout: z.number().positive().optional(),
  });

  const providerSchema = z.strictObject({
    label: z.string().optional(),
    baseUrl: z.string(),
    api: z.enum(customApis).optional(),
    stream: functionSchema.optional(),
    models: z.union([z.array(z.unknown()), functionSchema], { error: "must be a list or a function" }),
    apiKeyEnv: z
      .union([z.literal(false), z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be the NAME of a variable")])
      .optional(),
    keyHeader: z
      .string()
      .regex(/^[\w-]+$/)
      .optional(),
    headers: z.record(z.string(), z.string()).optional(),
    login: functionSchema.optional(),
  });
  return { provider: providerSchema, models: z.array(modelSchema) };
}

/** Returns why a value is not a provider, or undefined. Names the fields, and never quotes their values. */
export function flawOfProvider(id: string, value: unknown): string | undefined {
  if (!/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(id)) return "its id must be lower-case letters, digits, - _ or ., as in acme";
  const { success, error, data } = schemas().provider.safeParse(value, { jitless: true });
  if (!success) return describeIssues(error);
  const list = Array.isArray(data.models) ? listedModels(data.models) : {};
  if ("flaw" in list) return `models: ${list.flaw}`;
  if ((data.api === undefined) === (data.stream === undefined))
    return data.api === undefined
      ? "it has neither api nor stream"
      : "it has both api and stream; use only one of them";
  const flaw = flawOfUrl(data.baseUrl);
  return flaw === undefined ? undefined : `its baseUrl ${flaw}`;
}

/** Returns the models that a provider listed, or why the list is not one. */
export function listedModels(value: unknown): { models: ProviderModel[] } | { flaw: string } {
  const { success, error, data } = schemas().models.safeParse(value, { jitless: true });
  return success ? { models: data as ProviderModel[] } : { flaw: describeIssues(error) };
}
