import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MODELS_NO_PLUGIN: {
    exit: 2,
    text: () =>
      'No plugin "model" is loaded here: remove it from `without`, or run this with a preset that uses it, such as --preset none.',
  },
  MODELS_NO_MATCH: {
    exit: 2,
    text: (a: { filter: string }) =>
      `No model's name contains "${a.filter}". All models are listed by: scorel model list --all`,
  },
  MODELS_ADDRESS: {
    exit: 2,
    text: (a: { reason: string }) =>
      `This address cannot be used: it ${a.reason}. Write one that begins with http:// or https://, such as http://127.0.0.1:8000/v1.`,
  },
  MODELS_SERVER_EMPTY: {
    exit: 2,
    text: (a: { address: string }) =>
      `The server at ${a.address} has no models yet. Load or download one there, and try again.`,
  },
  MODELS_LOGIN_CANCELLED: { exit: 130, text: () => "The login was cancelled. Nothing was changed." },
  MODELS_LOGIN_ENDED: {
    exit: 2,
    text: () => "The input ended before all questions were answered. Nothing was changed.",
  },
  MODELS_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `The model could not be added to ${a.path}: ${a.reason}. Add the table by hand, as the guide to models shows.`,
  },
  MODELS_NO_KEY: {
    exit: 2,
    text: (a: { provider: string }) =>
      `No key was given. Type it when asked, or pipe it: scorel login ${a.provider} < file-with-the-key`,
  },
});
