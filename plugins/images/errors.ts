import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  IMAGE_UNSEEN: (a: { model: string }) =>
    `The model ${a.model} does not support images, so it gets a line of text instead of each. Choose another model with --model; \`scorel model list\` shows which support images.`,
  IMAGE_NOT_SHOWN: (a: { text: string }) =>
    `An image was not sent to the model, which got this text instead: ${a.text}`,
});
