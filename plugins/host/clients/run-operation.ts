import type { Operation, Operations } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Caller } from "./caller.ts";
import { ownOperation } from "./operations.ts";
import { checkParams, ownSchema } from "./params.ts";
import { contextOf, findContributed, schemaFrom } from "./plugin-operations.ts";

/**
 * Runs an operation, the host's own or a plugin's, for a client. Throws HOST_OPERATION_UNKNOWN, HOST_PARAMS_INVALID, and
 * HOST_FORBIDDEN for what the client's scope does not include.
 */
export async function runOperation<O extends Operation>(
  operation: O,
  params: Operations[O]["params"],
  caller: Caller,
): Promise<Operations[O]["result"]> {
  const { access, sessions } = caller;
  const own = ownOperation(operation);
  if (own) {
    const checked = checkParams(
      operation,
      ownSchema(operation, own, () => sessions.known),
      params,
    );
    if (access.limited) await access.assertOperation(operation, own, checked);
    return own.run(checked, caller);
  }
  const handler = await findContributed(operation, params, caller);
  if (!handler) throw errors.HOST_OPERATION_UNKNOWN({ operation });
  const checked = checkParams(operation, await schemaFrom(handler.params), params);
  if (access.limited) await access.assertOperation(operation, handler, checked);
  return handler.run(checked, contextOf(caller));
}
