import type { Invocation } from "@scorel/cli/contract";
import { agrees } from "@scorel/kit/terminal/answer";
import type { DaemonContext } from "./context.ts";
import { errors } from "./errors.ts";

/**
 * Asks the user whether the host may listen as the options say, for each transport that could let others in. Returns the options for the
 * host, with which it does not ask again. Throws DAEMON_UNCONFIRMED.
 */
export async function withConsent(ctx: DaemonContext, invocation: Invocation): Promise<Invocation["options"]> {
  const { options, stdin, stdout } = invocation;
  const transports = ctx.collect("transports").flatMap(({ value }) => value);
  let isAgreed = false;
  for (const transport of transports) {
    // This also checks the options, before a running host is stopped because of them.
    const danger = await transport.danger?.(options);
    if (danger === undefined || options.yes === true) continue;
    isAgreed = true;
    const isAsked = stdin.isTTY === true && stdout.isTTY === true;
    if (!isAsked || !(await agrees(`${danger} Go on? [y/N] `, invocation))) throw errors.DAEMON_UNCONFIRMED({ danger });
  }
  return isAgreed ? { ...options, yes: true } : options;
}
