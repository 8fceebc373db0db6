import { type CustomApi, flawOfUrl } from "@scorel/kit/schema/model-table";
import { errors } from "../errors.ts";

/** Example base URL for each api. */
export const baseUrlForms: Readonly<Record<CustomApi, string>> = {
  "openai-completions": "https://host/v1",
  "openai-responses": "https://host/v1",
  "google-generative-ai": "https://host/v1beta",
  "anthropic-messages": "https://host",
};

/**
 * Parses and validates a base URL for an api; throws MODEL_BASE_URL. The reasons never quote the URL, which may contain
 * a password.
 */
export function checkedUrl(provider: string, api: CustomApi, baseUrl: string): URL {
  const reason = flawOfUrl(baseUrl) ?? flawForApi(api, new URL(baseUrl));
  if (reason !== undefined) throw errors.MODEL_BASE_URL({ provider, reason, form: baseUrlForms[api] });
  return new URL(baseUrl);
}

/** Returns why a base URL does not fit this api, or undefined. */
function flawForApi(api: CustomApi, { pathname }: URL): string | undefined {
  const path = pathname.replace(/\/+$/, "");
  const endpoint = /\/(chat\/completions|responses|messages)$|:(streamG|g)enerateContent$/.exec(path)?.[0];
  if (endpoint !== undefined) return `ends with "${endpoint}", which the api adds itself`;
  if (api === "anthropic-messages" && path.endsWith("/v1"))
    return 'ends with "/v1", which anthropic-messages adds itself';
  if (api === "google-generative-ai" && !/\/v\d\w*$/.test(path)) return 'lacks the version at its end, as in "/v1beta"';
  return api === "openai-responses" && path === "" ? 'lacks the path, as in "/v1"' : undefined;
}
