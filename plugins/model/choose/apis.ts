import type { StreamFunction } from "@mariozechner/pi-ai";
import type { CustomApi } from "@scorel/kit/schema/model-table";

/** All supported apis; `openai-codex-responses` is used by a single provider. */
export type SpokenApi = CustomApi | "openai-codex-responses";

/** How requests of one api are made. */
export interface Adapter {
  /**
   * Imports the adapter's own module, not pi-ai's registry: its stream can be observed from the start, and no plugin
   * can replace it.
   */
  load(): Promise<unknown>;
  /** The client looks up the global fetch at each request, not once at creation. */
  late?: true;
  /** The client retries failed requests on its own. */
  insists?: true;
  /**
   * Environment variables that the client reads for any host, with the value to set during the call; undefined unsets
   * it.
   */
  variables: Readonly<Record<string, string | undefined>>;
}

/** OpenAI's client would also print unreadable replies over the terminal. */
const openai = { OPENAI_ORG_ID: undefined, OPENAI_PROJECT_ID: undefined, OPENAI_LOG: "off" };

export const adapters: Readonly<Record<SpokenApi, Adapter>> = {
  "openai-completions": {
    load: async () => (await import("@mariozechner/pi-ai/openai-completions")).streamSimpleOpenAICompletions,
    variables: openai,
  },
  "openai-responses": {
    load: async () => (await import("@mariozechner/pi-ai/openai-responses")).streamSimpleOpenAIResponses,
    variables: openai,
  },
  "openai-codex-responses": {
    load: async () => (await import("@mariozechner/pi-ai/openai-codex-responses")).streamSimpleOpenAICodexResponses,
    late: true,
    insists: true,
    variables: {},
  },
  "google-generative-ai": {
    load: async () => (await import("@mariozechner/pi-ai/google")).streamSimpleGoogle,
    late: true,
    variables: { GOOGLE_GENAI_USE_VERTEXAI: undefined, GOOGLE_GENAI_USE_ENTERPRISE: undefined },
  },
  "anthropic-messages": {
    load: async () => (await import("@mariozechner/pi-ai/anthropic")).streamSimpleAnthropic,
    variables: { ANTHROPIC_AUTH_TOKEN: undefined, ANTHROPIC_LOG: "off" },
  },
};

/** Loads an api's adapter. The cast is safe, since each adapter gets only models of its own api. */
export async function loadAdapter(api: SpokenApi): Promise<StreamFunction> {
  return (await adapters[api].load()) as StreamFunction;
}

export function isSpoken(api: string): api is SpokenApi {
  return Object.hasOwn(adapters, api);
}
