import type { HostService, Operation, OperationContext, OperationHandler, Operations } from "@scorel/host/contract";
import type { Contributions } from "@scorel/kernel";
import { z } from "zod";
import type {} from "./contract.ts";

const text = z.string().min(1).max(4096);
const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must be one line");
const work = () => import("./work.ts");

/** Operations about projects and directories. */
export function operations(host: () => HostService | undefined): Contributions["operations"] {
  return {
    list_projects: handler(z.strictObject({}), async (_params, context) => (await work()).list(host(), context)),
    register_project: handler(z.strictObject({ directory: text, name: name.optional() }), async (params) =>
      (await work()).add(host(), params),
    ),
    remove_project: handler(z.strictObject({ project: text }), async (params) => (await work()).remove(host(), params)),
    move_project: handler(z.strictObject({ project: text, directory: text }), async (params) =>
      (await work()).move(host(), params),
    ),
    list_directories: handler(z.strictObject({ directory: text.optional() }), async (params) =>
      (await import("./directories.ts")).listDirectories(params.directory),
    ),
  };
}

function handler<O extends Operation>(
  params: z.ZodType<Operations[O]["params"]>,
  run: (params: Operations[O]["params"], context: OperationContext) => Promise<Operations[O]["result"]>,
): OperationHandler<O> {
  return { params, run };
}
