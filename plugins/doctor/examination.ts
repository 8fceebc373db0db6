import { type CheckContext, homeOf, type Services } from "./check-context.ts";
import type { HealthReport } from "./contract.ts";
import { runChecks } from "./run-checks.ts";
import { createScrub } from "./scrub.ts";

/** The subject of an examination: the parts of `CheckContext` that the caller chooses. */
export type Examination = Pick<CheckContext, "cwd" | "env" | "options" | "interrupt">;

/** Checks everything. The report has no secrets in it. */
export async function examination(
  { cwd, env, options, interrupt }: Examination,
  services: Services,
): Promise<HealthReport> {
  const home = homeOf();
  const self: CheckContext["self"] = [process.execPath, process.argv[1] as string];
  const report = await runChecks({ ...services, cwd, env, options, interrupt, home, self });
  return createScrub(env, home, keyVariables(report))(report);
}

/** Returns the environment variables that any layer names for a key. */
function keyVariables({ config }: HealthReport): string[] {
  const named = config?.settings.filter(({ path }) => /(^|\.)apiKeyEnv$/.test(path)) ?? [];
  return named.map(({ value }) => String(value));
}
