import type { CustomApi } from "./apis.ts";
import { errors } from "./errors.ts";

/** How the address of a server of each api is written. */
export const baseUrlForms: Readonly<Record<CustomApi, string>> = {
  "openai-completions": "https://host/v1",
  "openai-responses": "https://host/v1",
  "google-generative-ai": "https://host/v1beta",
  "anthropic-messages": "https://host",
};

/** A server's address, fit for its api; throws MODEL_BASE_URL. The reasons never repeat the value: it may hold a password. */
export function checkedUrl(provider: string, api: CustomApi, baseUrl: string): URL {
  const reason = unfit(baseUrl) ?? misfit(api, new URL(baseUrl));
  if (reason !== undefined) throw errors.MODEL_BASE_URL({ provider, reason, form: baseUrlForms[api] });
  return new URL(baseUrl);
}

/** Why no api could live there. */
export function unfit(baseUrl: string): string | undefined {
  if (!/^https?:\/\//i.test(baseUrl)) return 'has no scheme: it must start with "https://" or "http://"';
  if (!URL.canParse(baseUrl)) return "is not a URL";
  const { username, password, search, hash } = new URL(baseUrl);
  if (username || password)
    return "holds a user name or password; a key belongs into the variable that apiKeyEnv names";
  if (search || hash) return 'holds a "?" or "#" part, which the api\'s own paths cannot follow';
  // For two provider names pi-ai would fill braces with the values of environment variables.
  return /[{}]/.test(baseUrl) ? "holds braces; write the address out" : undefined;
}

/** Why this api does not live there. */
function misfit(api: CustomApi, { pathname }: URL): string | undefined {
  const path = pathname.replace(/\/+$/, "");
  const endpoint = /\/(chat\/completions|responses|messages)$|:(streamG|g)enerateContent$/.exec(path)?.[0];
  if (endpoint !== undefined) return `ends with "${endpoint}", which the api adds itself`;
  if (api === "anthropic-messages" && path.endsWith("/v1"))
    return 'ends with "/v1", which anthropic-messages adds itself';
  if (api === "google-generative-ai" && !/\/v\d\w*$/.test(path)) return 'lacks the version at its end, as in "/v1beta"';
  return api === "openai-responses" && path === "" ? 'lacks the path, as in "/v1"' : undefined;
}
