import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  WEB_PAGE_UNBUILT: (a: { folder: string }) =>
    `The page is not in ${a.folder}. It comes with the installed command; in the sources, \`npm run build\` makes it.`,
});
