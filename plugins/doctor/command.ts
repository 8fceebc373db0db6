import type { Invocation } from "@scorel/cli/contract";
import { createOutput } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import type { Services } from "./check-context.ts";
import { examination } from "./examination.ts";
import { reportText } from "./text.ts";

/** Runs `scorel doctor`. Exit code 0 when nothing is broken, else 1; 130 after Ctrl-C. */
export async function examine(invocation: Invocation, services: Services): Promise<number> {
  const { env, options, interrupt, stdout, stderr } = invocation;
  const report = await examination(invocation, services);
  if (interrupt.aborted) return 130;
  const output = createOutput(stdout);
  const text =
    options.output === "json" ? `${JSON.stringify(report, null, 2)}\n` : plainText(reportText(report, env.HOME));
  await output.write(text);
  if (output.complaint !== undefined) stderr.write(`${output.complaint}\n`);
  return output.complaint !== undefined || report.findings.some(({ severity }) => severity === "error") ? 1 : 0;
}
