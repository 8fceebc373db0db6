import { defineErrors } from "@scorel/kernel";
import { type Clash, clashText } from "@scorel/kit/values/claims";
import type { RequestFailure } from "./contract.ts";

export const errors = defineErrors({
  MODEL_SCRIPT_END: (a: { request: number; count: number }) =>
    `The model was asked for reply ${a.request}, but the test has ${a.count}. Add one to "replies".`,
  MODEL_NONE: { exit: 2, text: () => `No model configured. ${howTo}` },
  MODEL_NONE_IN_HOST: {
    exit: 2,
    text: (a: { pid: number; restart: string }) =>
      `No model configured. ${howTo}\n\n` +
      `The host that runs this session (process ${a.pid}) has the variables of the shell that started it. ` +
      `If only this shell has a key, start the host again from here: \`${a.restart}\`.`,
  },
  MODEL_NAME: {
    exit: 2,
    text: (a: { asked: string; example: string; names?: readonly string[] | undefined }) =>
      `"${a.asked}" is not a model name. Write provider/id, such as ${a.example}${a.names?.length ? `, or the name of a [models.<name>] table: ${a.names.join(", ")}` : ""}.`,
  },
  MODEL_AMBIGUOUS: {
    exit: 2,
    text: (a: { asked: string; addresses: readonly string[] }) =>
      `"${a.asked}" is described more than once in the configuration, at different addresses: ${a.addresses.join(", ")}. ` +
      "Give each server its own provider name in its table.",
  },
  MODEL_UNKNOWN_PROVIDER: {
    exit: 2,
    text: (a: { provider: string; near: readonly string[] }) =>
      `There is no built-in provider "${a.provider}".${didYouMean(a.near)} For any other server: scorel login custom, or type = "custom" with a baseUrl.`,
  },
  MODEL_NOT_STORED: {
    exit: 2,
    text: (a: { provider: string; stored: readonly string[] }) =>
      `Nothing is stored for "${a.provider}", which is not the name of a provider. ${a.stored.length > 0 ? `There are keys or subscriptions for: ${a.stored.join(", ")}.` : "There are no stored keys or subscriptions."}`,
  },
  MODEL_UNKNOWN: {
    exit: 2,
    text: (a: { provider: string; id: string; near: readonly string[] }) =>
      `Provider "${a.provider}" has no model "${a.id}".${didYouMean(a.near)} For a model that is not listed use type = "custom".`,
  },
  MODEL_API_UNSUPPORTED: {
    exit: 2,
    text: (a: { provider: string; id: string; api: string; supported: readonly string[] }) =>
      `Model "${a.provider}/${a.id}" uses the api "${a.api}", which Scorel does not support; it supports ${a.supported.join(", ")}. ` +
      `Most providers also have such an endpoint: use type = "custom", api = "${a.supported[0]}" and its baseUrl.`,
  },
  MODEL_KEY_MISSING: {
    exit: 2,
    text: (a: { provider: string; variable: string; storable: boolean }) =>
      `No key for provider "${a.provider}": the environment variable ${a.variable} is not set. Set it, or name another one with apiKeyEnv in [model]` +
      `${a.storable ? `, or store a key: scorel login ${a.provider}` : ""}.`,
  },
  MODEL_KEY_NOT_IN_HOST: {
    exit: 2,
    text: (a: { provider: string; variable: string; pid: number; restart: string; storable: boolean }) =>
      `No key for provider "${a.provider}": the environment variable ${a.variable} is not set in the host that runs this session (process ${a.pid}), which has the variables of the shell that started it. ` +
      `Start the host again from a shell in which ${a.variable} is set: \`${a.restart}\`${a.storable ? `. Or store a key: scorel login ${a.provider}` : ""}.`,
  },
  MODEL_KEY_UNNAMED: {
    exit: 2,
    text: (a: { provider: string }) =>
      `No key for provider "${a.provider}": add apiKeyEnv = "NAME_OF_A_VARIABLE" to [model] and set that variable (to anything, if the server asks for no key).`,
  },
  MODEL_KEY_INVALID: {
    exit: 2,
    text: (a: { place: string }) =>
      `The key in ${a.place} contains a space, a line break or another character that keys do not have. Set it again without it (a line break often comes from reading the key from a file).`,
  },
  MODEL_BASE_URL: {
    exit: 2,
    text: (a: { provider: string; reason: string; form: string }) =>
      `The baseUrl of provider "${a.provider}" in [model] ${a.reason}. Write it as "${a.form}".`,
  },
  MODEL_AUTH_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `The stored keys in ${a.path} cannot be used: ${a.reason}. Correct or remove that file.`,
  },
  MODEL_AUTH_UNREADABLE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `The stored keys in ${a.path} cannot be read: ${a.reason}. Let your user read that file: ls -l shows whose it is.`,
  },
  MODEL_AUTH_LOCK: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `The stored keys cannot be changed, because their lock ${a.path} cannot be taken: ${a.reason}. They are unchanged; try again when no other Scorel logs in or out.`,
  },
  MODEL_NO_SUBSCRIPTION: {
    exit: 2,
    text: (a: { provider: string }) =>
      `"${a.provider}" has no subscription login. Log in with a key: scorel login ${a.provider} --with key`,
  },
  MODEL_NO_KEYS: {
    exit: 2,
    text: (a: { provider: string }) =>
      `"${a.provider}" is used with a subscription, not with a key: scorel login ${a.provider}`,
  },
  MODEL_LOGIN_FAILED: {
    exit: 2,
    text: (a: { provider: string; reason: string }) =>
      `The login to "${a.provider}" failed: ${a.reason}. Nothing was stored; try again: scorel login ${a.provider}`,
  },
  MODEL_LOGIN_STOPPED: {
    exit: 2,
    text: (a: { provider: string }) =>
      `The login to "${a.provider}" was cancelled. Nothing was stored; to start again: scorel login ${a.provider}`,
  },
  MODEL_LOGIN_GONE: {
    exit: 2,
    text: (a: { provider: string }) =>
      `The login to "${a.provider}" was removed in the meantime. Log in again: scorel login ${a.provider}`,
  },
  MODEL_LOGIN_ENDED: {
    exit: 2,
    text: (a: { provider: string; reason: string }) =>
      `The login to "${a.provider}" could not be renewed: ${a.reason}. Log in again: scorel login ${a.provider}`,
  },
  MODEL_LOGIN_NOT_RENEWED: {
    exit: 2,
    text: (a: { provider: string; reason: string; failure: RequestFailure }) =>
      `The login to "${a.provider}" could not be renewed now: ${a.reason}. Try again later, or log in again: scorel login ${a.provider}`,
  },
  MODEL_PROVIDER: (a: { plugin: string; provider?: string; reason: string }) =>
    a.provider === undefined
      ? `"providers" of plugin "${a.plugin}" ${a.reason}.`
      : `The provider "${a.provider}" of plugin "${a.plugin}" was left out: ${a.reason}.`,
  MODEL_PROVIDER_TAKEN: (a: Clash) => clashText(`The provider "${a.name}"`, a),
  MODEL_PROVIDER_MODELS: (a: { provider: string }) =>
    `The provider "${a.provider}" has not listed its models. Try again; scorel model list ${a.provider} shows why it fails.`,
  MODEL_STREAM: (a: { plugin: string; reason: string }) =>
    `The function "stream" of plugin "${a.plugin}" ${a.reason}. It must yield parts { type: "text" | "thinking", text }, { type: "toolCall", id, name, json }, { type: "usage", input, output } and a last { type: "end", reason }.`,
  MODEL_HOST_HEADER: () =>
    "A request to a provider was not sent, since it sets the header `host`. Remove the header: the host is taken from baseUrl.",
  MODEL_SERVER_LIST: {
    exit: 2,
    text: (a: { address: string; reason: string; advice: string }) =>
      `The models of the server could not be listed (${a.address}): ${a.reason}. ${a.advice}`,
  },
  MODEL_LOCAL_ABSENT: {
    exit: 2,
    text: (a: { provider: string; server: string; port: number }) =>
      `${a.server} does not answer at 127.0.0.1:${a.port}: start it, or describe another server in [model] with type = "custom", provider = "${a.provider}".`,
  },
});

const howTo = `Choose one of these:

  scorel login openai   stores a key for OpenAI or another provider
  scorel login custom   sets up your own server, such as Ollama or vLLM
  scorel demo           shows what Scorel does, without a model

A key in ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY is also enough.
The table [model] in ~/.scorel/config.toml chooses one of several models.`;

function didYouMean(near: readonly string[]): string {
  return near.length > 0 ? ` Did you mean ${near.map((name) => `"${name}"`).join(", ")}?` : "";
}
