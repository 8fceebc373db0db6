import { z } from "zod";
import { apis } from "./choose/apis.ts";
import { flawOfUrl } from "./choose/base-url.ts";

const price = z.number().min(0);
const name = z.string().min(1);

const apiKeyEnv = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*$/, "must be the NAME of an environment variable (capitals, digits, _), never the key itself")
  .describe("name of the environment variable that holds the key");

/** Marks a key that redirects data. `could` is shown when the user is asked whether to trust a project that sets it. */
const redirects = (could: string) => ({ trust: { kind: "redirect", could } });

const idleTimeout = z
  .number()
  .positive()
  .optional()
  .describe("seconds this model may stay silent before its reply is given up; default: idleTimeout in [agent]");

const builtin = z.strictObject({
  type: z.literal("builtin").describe("a model of a provider that is known by name"),
  provider: name
    .describe("the provider's name, as in openrouter")
    .meta(redirects("what you say goes to this provider, with the key you have for it")),
  id: name.describe("the model's id at that provider"),
  apiKeyEnv: apiKeyEnv
    .optional()
    .describe("name of the environment variable that holds the key; default: the provider's usual one")
    .meta(redirects("the value of this variable is sent as the key")),
  idleTimeout,
});

const custom = z.strictObject({
  type: z.literal("custom").describe("any server that speaks one of the apis"),
  api: z.enum(apis).describe("the protocol the server speaks"),
  provider: name.describe("your name for the server"),
  id: name.describe("the model's id at the server"),
  baseUrl: name
    .describe(
      "where the api lives: with /v1 for the openai apis, with /v1beta for google-generative-ai, without /v1 for anthropic-messages",
    )
    .meta({
      ...redirects("what you say, and the key, go to this address"),
      doubt: (value: unknown) => (typeof value === "string" ? flawOfUrl(value) : undefined),
    }),
  apiKeyEnv: apiKeyEnv
    .optional()
    .describe("name of the environment variable that holds the key; not needed for a server on this machine")
    .meta(redirects("the value of this variable is sent as the key")),
  contextWindow: z.number().int().positive().describe("tokens a request and its reply may hold together"),
  maxTokens: z.number().int().positive().describe("tokens a reply may hold"),
  reasoning: z.boolean().default(false).describe("the model can think before it answers"),
  input: z
    .array(z.enum(["text", "image"]))
    .min(1)
    .default(["text"])
    .describe("what the model can read"),
  idleTimeout,
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe("headers to send with every request")
    .meta(redirects("is sent with every request")),
  cost: z
    .strictObject({
      input: price.default(0).describe("US dollars per million tokens"),
      output: price.default(0).describe("US dollars per million tokens"),
      cacheRead: price.default(0).describe("US dollars per million tokens"),
      cacheWrite: price.default(0).describe("US dollars per million tokens"),
    })
    .prefault({})
    .describe("prices, to show what a session costs"),
});

/** Schema of a table that describes a model, such as `[models.<alias>]`. */
export const modelTable = z.discriminatedUnion("type", [builtin, custom]);

/** An empty table. Its `type` accepts no string, so nothing else matches. */
const none = z.looseObject({ type: z.enum([]).optional() }).refine((table) => Object.keys(table).length === 0, {
  path: ["type"],
  message: 'is missing: write type = "builtin" (a known provider) or type = "custom" (any server)',
});

/** Schema of the table `[model]`. */
export const modelConfig = z.discriminatedUnion("type", [builtin, custom, none]);
export type ModelConfig = z.output<typeof modelConfig>;
export type BuiltinConfig = z.output<typeof builtin>;
export type CustomConfig = z.output<typeof custom>;
