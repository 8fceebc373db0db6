import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  IMAGE_UNSEEN: (a: { model: string }) =>
    `The model ${a.model} takes no images, so it gets a line of text for each instead. Choose one that does with --model; \`scorel model list\` shows them.`,
  IMAGE_NOT_SHOWN: (a: { text: string }) => `An image was not shown to the model, which got this instead: ${a.text}`,
});
