import type { Invocation } from "@scorel/cli/contract";
import { createOutput } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import { type CheckContext, homeOf, type Services } from "./check-context.ts";
import type { HealthReport } from "./contract.ts";
import { runChecks } from "./run-checks.ts";
import { createScrub } from "./scrub.ts";
import { reportText } from "./text.ts";

/** Runs `scorel doctor`. Exit code 0 when nothing is broken, else 1; 130 after Ctrl-C. */
export async function examine(invocation: Invocation, services: Services): Promise<number> {
  const { cwd, env, options, interrupt, stdout, stderr } = invocation;
  const home = homeOf();
  const self: CheckContext["self"] = [process.execPath, process.argv[1] as string];
  const report = await runChecks({ ...services, cwd, env, options, interrupt, home, self });
  if (interrupt.aborted) return 130;
  const shown = createScrub(env, home, keyVariables(report))(report);
  const output = createOutput(stdout);
  const text = options.json === true ? `${JSON.stringify(shown, null, 2)}\n` : plainText(reportText(shown, env.HOME));
  await output.write(text);
  if (output.complaint !== undefined) stderr.write(`${output.complaint}\n`);
  return output.complaint !== undefined || report.findings.some(({ severity }) => severity === "error") ? 1 : 0;
}

/** Returns the environment variables that any layer names for a key. */
function keyVariables({ config }: HealthReport): string[] {
  const named = config?.settings.filter(({ path }) => /(^|\.)apiKeyEnv$/.test(path)) ?? [];
  return named.map(({ value }) => String(value));
}
