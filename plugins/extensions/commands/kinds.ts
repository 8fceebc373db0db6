/** What `scorel plugin new` can begin. */
export const kinds = ["tool", "guard", "command", "projection", "service"] as const;
export type Kind = (typeof kinds)[number];
