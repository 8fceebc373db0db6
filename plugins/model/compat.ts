import type { Api, Model } from "@mariozechner/pi-ai";
import type { CustomApi } from "./apis.ts";

type Compat = NonNullable<Model<Api>["compat"]>;

/** What only the inventor of an api is sure to accept is not sent to others. */
const elsewhere: Readonly<Record<CustomApi, Compat | undefined>> = {
  "openai-completions": {
    supportsDeveloperRole: false,
    supportsStore: false,
    supportsStrictMode: false,
    supportsLongCacheRetention: false,
    maxTokensField: "max_tokens",
  },
  "openai-responses": { supportsLongCacheRetention: false },
  "google-generative-ai": undefined,
  "anthropic-messages": { supportsEagerToolInputStreaming: false, supportsLongCacheRetention: false },
};

/** How a server at this host differs from what the library takes for granted; undefined when it does not. */
export function compatOf(api: CustomApi, hostname: string): Compat | undefined {
  return isInventor(hostname) ? undefined : elsewhere[api];
}

function isInventor(hostname: string): boolean {
  return ["api.openai.com", "api.anthropic.com"].includes(hostname) || hostname.endsWith(".openai.azure.com");
}
