import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { ScorelError } from "@scorel/kit/values/coded-error";
import type { WireError } from "./wire.ts";

/** An error of the host. Its further lines are indented, since another program than a host could have written what looks like one of Scorel. */
export function remoteError({ code, message, data }: WireError): Error {
  const error = new ScorelError(code, plainText(continued(message)), { data: data ?? {} });
  return Object.assign(error, { isForeign: true });
}
