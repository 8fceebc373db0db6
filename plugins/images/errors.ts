import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  IMAGE_UNSEEN: (a: { model: string; isDescribed: boolean }) =>
    `The model ${a.model} does not support images, so it receives a line of text in place of each image. ${a.isDescribed ? 'If it can read images, write input = ["text", "image"] in its table in config.toml. If not, choose' : "Choose"} another model with --model; \`scorel model list\` shows which support images.`,
  IMAGE_NOT_SHOWN: (a: { text: string }) =>
    `An image was not sent to the model, which received this text instead: ${a.text}`,
});
