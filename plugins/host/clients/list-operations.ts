import type { Kernel } from "@scorel/kernel";
import { z } from "zod";
import type { JsonSchema, Operation, OperationDescription, OperationHandler } from "../contract.ts";
import { paramsWithPage, resultWithSize } from "./answer-size.ts";
import type { Caller } from "./caller.ts";
import { whereOf } from "./contained-operation.ts";
import type { OwnOperation } from "./own-operation.ts";
import { ownSchema } from "./params.ts";
import { allContributed, schemaFrom } from "./plugin-operations.ts";

type OwnOperations = { [O in Operation]?: OwnOperation<O> };

/** Describes the operations that the client may use. */
export function listOperations(
  own: OwnOperations,
  sessionId: string | undefined,
  caller: Caller,
): Promise<{ operations: OperationDescription[] }> {
  const { sessions } = caller;
  const describe = async (kernel: Kernel) => {
    const all = [...(await ofHost(own, caller)), ...(await ofPlugins(kernel, sessions.parent, own))];
    return {
      operations: all
        .filter((each) => isUsable(each, caller))
        .map(({ confined: _, checksOperations: __, ...each }) => each),
    };
  };
  if (sessionId === undefined) return describe(sessions.parent);
  return sessions.withReadOnly(sessions.resolve(sessionId), ({ kernel }) => describe(kernel));
}

type Described = OperationDescription & { confined?: boolean | undefined; checksOperations?: boolean | undefined };

async function ofHost(own: OwnOperations, { sessions }: Caller): Promise<Described[]> {
  const { results } = await import("./operation-results.ts");
  return Object.entries(own).map(([name, row]) => ({
    name,
    summary: row.summary,
    plugin: "host",
    readOnly: row.readOnly ?? false,
    confined: row.confined,
    params: jsonSchema(ownSchema<unknown>(name, row, () => sessions.known)),
    result: jsonSchema(resultWithSize<unknown>(results[name as keyof typeof results], row.size)),
  }));
}

/** Describes the operations of plugins. An operation of a host plugin takes precedence over one of a session plugin. */
async function ofPlugins(kernel: Kernel, parent: Kernel, own: OwnOperations): Promise<Described[]> {
  const all = new Map([...allContributed(kernel), ...allContributed(parent)]);
  const described: Described[] = [];
  for (const [name, contributed] of all) {
    if (Object.hasOwn(own, name)) continue;
    const { plugin, contained, kernel, handler } = contributed;
    const { summary = "", readOnly = false, confined, checksOperations } = handler;
    const guarded = { plugin, where: whereOf(name), otherwise: undefined };
    const schemas = contained ? await kernel.attempt(guarded, () => schemasOf(handler)) : await schemasOf(handler);
    // Operations whose schemas cannot be created are left out, and reported.
    if (schemas) described.push({ name, summary, plugin, readOnly, confined, checksOperations, ...schemas });
  }
  return described;
}

async function schemasOf({
  params,
  result,
  size,
}: OperationHandler<Operation>): Promise<Pick<Described, "params" | "result"> | undefined> {
  return {
    params: jsonSchema(paramsWithPage(await schemaFrom(params), size)),
    ...(result && { result: jsonSchema(resultWithSize(await schemaFrom(result), size)) }),
  };
}

function isUsable({ name, params, ...reach }: Described, { access }: Caller): boolean {
  const takesSession = Object.hasOwn(Object(params.properties), "sessionId");
  return access.includes(name, reach, takesSession ? { sessionId: "" } : {});
}

/** Converts a schema to JSON Schema. What cannot be expressed there becomes a schema that allows anything. */
function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...fields } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return fields;
}
