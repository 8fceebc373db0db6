import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { isUnauthorized } from "../wire/http.ts";
import { type Definition, hasKey } from "./definitions.ts";

/** Returns the error MCP_LOGIN if the server requires a login, or refuses the present one; otherwise undefined. */
export function loginFault(thrown: unknown, { name, way }: Definition): Error | undefined {
  if (codeOf(thrown) === "MCP_LOGIN") return thrown as Error;
  if (!isUnauthorized(thrown) || !("url" in way) || hasKey(way)) return undefined;
  return errors.MCP_LOGIN({ server: name, reason: "it refused the token" });
}
