import { visibleName } from "@scorel/kit/text/plain";
import { shownAddress, shownArguments } from "@scorel/kit/text/secret-free";
import type { NewServer } from "../config-file.ts";

/**
 * Describes a server on one line, for a person who decides about it. Shows only the names of variables and headers, and no arguments that
 * may be keys.
 */
export function shownServer({
  name,
  command,
  args = [],
  url,
  env,
  headers,
  cwd,
  enabled,
  projects,
}: NewServer): string {
  const target = url === undefined ? [command, ...shownArguments(args)].join(" ") : shownAddress(url);
  const facts = [
    ...namesIn("env", env),
    ...namesIn("headers", headers),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(projects === undefined ? [] : [`only in ${projects.join(", ")}`]),
    ...(enabled === false ? ["disabled"] : []),
  ];
  return visibleName(`${name}: ${target}${facts.length > 0 ? ` (${facts.join("; ")})` : ""}`);
}

function namesIn(kind: string, table: Readonly<Record<string, string>> | undefined): string[] {
  return table ? [`${kind} ${Object.keys(table).join(", ")}`] : [];
}
