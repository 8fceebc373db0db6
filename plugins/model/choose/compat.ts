import type { Api, Model } from "@mariozechner/pi-ai";
import type { CustomApi } from "@scorel/kit/schema/model-table";

type Compat = NonNullable<Model<Api>["compat"]>;

/** Features that only an api's inventor is sure to support; switched off for all other hosts. */
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

/** Returns the compatibility settings for a host; undefined when pi-ai's defaults fit. */
export function compatOf(api: CustomApi, hostname: string): Compat | undefined {
  return isInventor(hostname) ? undefined : elsewhere[api];
}

function isInventor(hostname: string): boolean {
  return ["api.openai.com", "api.anthropic.com"].includes(hostname) || hostname.endsWith(".openai.azure.com");
}
