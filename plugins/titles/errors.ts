import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TITLE_EMPTY: (a: { model: string }) =>
    `${a.model} answered without a title, so the session keeps its first words as its title. Name it: scorel session rename.`,
});
