import { errors } from "./errors.ts";

/** Scopes that another agent can have. They have the same names as those of tokens. */
export const SCOPES = ["view", "prompt", "approve"] as const;
export type Scope = (typeof SCOPES)[number];

/** Reads the option `--scope`. Default: all but `approve`, so that the agent cannot answer questions. Throws MCP_SERVER_SCOPE. */
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
