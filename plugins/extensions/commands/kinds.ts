/** The kinds of extensions that `scorel plugin new` can create. */
export const kinds = ["tool", "guard", "command", "projection", "service"] as const;
export type Kind = (typeof kinds)[number];
