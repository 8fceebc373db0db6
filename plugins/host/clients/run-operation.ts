import type { Kernel } from "@scorel/kernel";
import { copyPlain } from "@scorel/kit/values/copy";
import { nearest } from "@scorel/kit/values/nearest";
import type { z } from "zod";
import type { Operation, Operations, PageParams } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Access, Reach } from "./access.ts";
import { paramsWithPage, sized } from "./answer-size.ts";
import type { Caller } from "./caller.ts";
import { runContained } from "./contained-operation.ts";
import { operationNames, ownOperation, ownResult } from "./operations.ts";
import { checkParams, ownSchema, problemsOf } from "./params.ts";
import { allContributed, type Contributed, contextOf, findContributed, schemaFrom } from "./plugin-operations.ts";
import { guardMessageId } from "./sent-requests.ts";

/**
 * Runs an operation, the host's own or a plugin's, for a client. Throws HOST_OPERATION_UNKNOWN, HOST_PARAMS_INVALID,
 * HOST_FORBIDDEN if the client's scope does not include it, MESSAGE_ID_REUSED, and for extensions HOST_OPERATION_FAILED and
 * HOST_OPERATION_OFF. `left` aborts when nobody waits for the result any more.
 */
export async function runOperation<O extends Operation>(
  operation: O,
  params: Operations[O]["params"],
  caller: Caller,
  left: AbortSignal,
): Promise<Operations[O]["result"]> {
  const { access, sessions } = caller;
  const own = ownOperation(operation);
  if (own) {
    const checked = checkParams(
      operation,
      ownSchema(operation, own, () => sessions.known),
      params,
    );
    await assertReach(operation, own, checked, access);
    if (own.opens) access.assertOptions(operation, checked, sessions.known);
    const { readOnly } = own;
    const result = await guardMessageId({ operation, readOnly }, checked, sessions, () => own.run(checked, caller));
    if (caller.checksResults) assertResult(operation, "host", await ownResult(operation), result);
    return sized(result, own.size, checked as PageParams);
  }
  const found = await findContributed(operation, params, caller);
  if (!found) throw unknown(String(operation), params, caller);
  const run = () => runContributed(operation, found, params, caller, left);
  if (!found.contained) return run();
  const sessionId = found.kernel === sessions.parent ? undefined : found.kernel.session.id;
  return runContained(operation, found, { left, sessionId }, async () => copyPlain(await run()));
}

/** The error for an operation that was not found: its session is missing, its name is mistyped, or the host does not have it. */
function unknown(operation: string, params: unknown, { sessions, access, held }: Caller): Error {
  const tables = sessions.opened
    .filter(({ id }) => !access.limited || held.has(id))
    .map(({ kernel }) => allContributed(kernel));
  const isOfSession = (Object(params) as { sessionId?: unknown }).sessionId !== undefined;
  if (!isOfSession && tables.some((table) => table.has(operation)))
    return errors.HOST_PARAMS_INVALID({ operation, problems: "sessionId: it is missing, a text is needed" });
  const known = [allContributed(sessions.parent), ...tables].flatMap((table) => [...table.keys()]);
  return errors.HOST_OPERATION_UNKNOWN({
    operation,
    isOfSession,
    near: nearest(operation, new Set([...operationNames(), ...known])),
  });
}

async function runContributed<O extends Operation>(
  operation: O,
  { plugin, kernel, contained, handler }: Contributed<O>,
  params: unknown,
  caller: Caller,
  left: AbortSignal,
): Promise<Operations[O]["result"]> {
  const checked = checkParams(operation, paramsWithPage(await schemaFrom(handler.params), handler.size), params);
  await assertReach(operation, handler, checked as object, caller.access);
  // An extension gets a copy, since it might modify the object that belongs to the client.
  const context = contextOf(caller, left, (each) => onlyReads(each, caller, kernel));
  const run = () => handler.run(contained ? copyPlain(checked) : checked, context);
  const result = await guardMessageId({ operation, readOnly: handler.readOnly }, checked, caller.sessions, run);
  if (!handler.readOnly) caller.sessions.lookAt((checked as { sessionId?: unknown }).sessionId);
  const sizedTo = (answer: Operations[O]["result"]) => sized(answer, handler.size, checked as PageParams);
  if (!(contained || caller.checksResults) || !handler.result) return sizedTo(result);
  const parsed = assertResult(operation, plugin, await schemaFrom(handler.result), result);
  // For an extension, returns the schema's output, without keys that the schema does not name.
  return sizedTo(contained ? (parsed as Operations[O]["result"]) : result);
}

async function assertReach(operation: string, reach: Reach, params: object, access: Access): Promise<void> {
  if (!access.limited) return;
  await access.assertOperation(operation, reach, params);
  await access.assertPaths(reach.paths, params);
}

/**
 * Whether an operation of the host, of its plugins or of the session's plugins is known to change nothing. False for unknown operations.
 */
function onlyReads(operation: string, { sessions }: Caller, kernel: Kernel): boolean {
  const own = ownOperation(operation as Operation);
  if (own) return own.readOnly === true;
  const { handler } = allContributed(sessions.parent).get(operation) ?? allContributed(kernel).get(operation) ?? {};
  return handler?.readOnly === true;
}

function assertResult(operation: string, plugin: string, schema: z.ZodType, result: unknown): unknown {
  const { error, data } = schema.safeParse(result, { jitless: true });
  if (error) throw errors.HOST_RESULT_INVALID({ operation, plugin, problems: problemsOf(error, "result") });
  return data;
}
