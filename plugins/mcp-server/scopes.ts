import { errors } from "./errors.ts";

/** What another agent may do. The words are those of tokens. */
export const SCOPES = ["view", "prompt", "approve"] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that the option `--scope` names; without it, those that answer no question. Throws MCP_SERVER_SCOPE. */
export function scopesIn(option: unknown): ReadonlySet<Scope> {
  if (option === undefined) return new Set<Scope>(["view", "prompt"]);
  const names = String(option).split(",");
  return new Set(
    names.map((name) => {
      const scope = SCOPES.find((each) => each === name.trim());
      if (scope === undefined) throw errors.MCP_SERVER_SCOPE({ scope: String(option), known: SCOPES });
      return scope;
    }),
  );
}
