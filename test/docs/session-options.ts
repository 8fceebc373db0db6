import type { SessionOption } from "@scorel/workspace/contract";
import type { Facts } from "./facts.ts";

/** The path of the generated table of the session options that plugins of Scorel contribute. */
export const optionList = "plugins/host/shipped-options.ts";

export function sessionOptions({ plugins }: Facts): string {
  const rows = plugins.flatMap(({ plugin }) => {
    const { sessionOptions } = plugin as { sessionOptions?: () => readonly SessionOption[] };
    return sessionOptions?.() ?? [];
  });
  return `// Generated from the plugins' \`sessionOptions\` by \`npm run docs\`; do not edit.

import type { SessionOption } from "@scorel/workspace/contract";

/** The options of sessions that plugins of Scorel contribute, known without loading one. */
export const shippedOptions: readonly SessionOption[] = [
${rows.map((row) => `  ${written(row, "  ")},\n`).join("")}];
`;
}

/** Formats a value like the formatter: each field of an object on a separate line, a list on one line. */
function written(value: unknown, indent: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, field]) => `${indent}  ${key}: ${written(field, `${indent}  `)},\n`);
  return `{\n${fields.join("")}${indent}}`;
}
