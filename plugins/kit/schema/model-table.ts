import { z } from "zod";

/** The protocols that a custom server may speak. */
export const customApis = [
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "anthropic-messages",
] as const;
export type CustomApi = (typeof customApis)[number];

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
  .describe("seconds without output after which this model's reply is aborted; default: idleTimeout in [agent]");

/** A model of a known provider. */
export const builtin = z.strictObject({
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

/** A model on any server that speaks one of the apis. */
export const custom = z.strictObject({
  type: z.literal("custom").describe("any server that speaks one of the apis"),
  api: z.enum(customApis).describe("the protocol the server speaks"),
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
  contextWindow: z.number().int().positive().describe("maximum tokens of a request and its reply together"),
  maxTokens: z.number().int().positive().describe("maximum tokens of a reply"),
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

/** Returns why a base URL cannot serve any api, or undefined. */
export function flawOfUrl(baseUrl: string): string | undefined {
  if (!/^https?:\/\//i.test(baseUrl)) return 'has no scheme: it must start with "https://" or "http://"';
  if (!URL.canParse(baseUrl)) return "is not a URL";
  const { username, password, search, hash } = new URL(baseUrl);
  if (username || password)
    return "holds a user name or password; a key belongs into the variable that apiKeyEnv names";
  if (search || hash) return 'holds a "?" or "#" part, which the api\'s own paths cannot follow';
  // pi-ai replaces braces by environment variables for two provider names.
  return /[{}]/.test(baseUrl) ? "holds braces; write the address out" : undefined;
}
