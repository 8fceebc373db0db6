import type { Api, StreamFunction } from "@mariozechner/pi-ai";

/** The apis that any server may speak. */
export const apis = [
  "openai-completions",
  "openai-responses",
  "google-generative-ai",
  "anthropic-messages",
] as const satisfies readonly Api[];
export type CustomApi = (typeof apis)[number];
/** All that can be spoken: one is spoken by a single provider. */
export type SpokenApi = CustomApi | "openai-codex-responses";

/** How one api is spoken. */
export interface Adapter {
  /** The direct module, not the registry: its stream can be watched before the first event, and no plugin can replace it. */
  load(): Promise<unknown>;
  /** Its client takes the global fetch at each request, not once when it is made. */
  late?: true;
  /** It makes a request that failed again by itself. */
  insists?: true;
  /** Variables that its client reads for any host, with the value it finds instead; undefined is none. */
  variables: Readonly<Record<string, string | undefined>>;
}

/** OpenAI's client also prints what it cannot read, over whatever is on the terminal. */
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

/** Each adapter takes only models of its own api, which is what it is looked up by. */
export async function loadAdapter(api: SpokenApi): Promise<StreamFunction> {
  return (await adapters[api].load()) as StreamFunction;
}

export function isSpoken(api: string): api is SpokenApi {
  return Object.hasOwn(adapters, api);
}
