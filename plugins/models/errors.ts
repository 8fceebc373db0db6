import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MODELS_NO_PLUGIN: {
    exit: 2,
    text: () =>
      'No plugin "model" is loaded here: take it out of `without`, or run this with a preset that uses it, as --preset none.',
  },
  MODELS_NO_MATCH: {
    exit: 2,
    text: (a: { filter: string }) =>
      `No model's name holds "${a.filter}". Without a filter all are listed: scorel model list`,
  },
  MODELS_NO_KEY: {
    exit: 2,
    text: (a: { provider: string }) =>
      `No key was given. Type it when asked, or pipe it: scorel login ${a.provider} < file-with-the-key`,
  },
});
