import { continued } from "@scorel/kit/text/one-line";
import { plainText } from "@scorel/kit/text/plain";
import { ScorelError } from "@scorel/kit/values/coded-error";
import type { WireError } from "./wire.ts";

/** Creates an error from one of the host. Indents its further lines, which a malicious host could make look like output of Scorel. */
export function remoteError({ code, message, data }: WireError): Error {
  const error = new ScorelError(code, plainText(continued(message)), { data: data ?? {} });
  return Object.assign(error, { isForeign: true });
}
