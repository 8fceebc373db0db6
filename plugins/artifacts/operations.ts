import type { Operation, OperationHandler, Operations } from "@scorel/host/contract";
import type { Contributions, Session } from "@scorel/kernel";
import { z } from "zod";
import type { SessionArtifacts } from "./contract.ts";
import { errors } from "./errors.ts";

const sessionId = z.string().min(1);
const name = z.string().min(1);

/** What clients may ask of a session's artifacts. */
export function operations(of: (session: Session) => SessionArtifacts): Contributions["operations"] {
  return {
    list_artifacts: handler(z.strictObject({ sessionId, name: name.optional() }), (params, { look, resolve }) =>
      look(resolve(params.sessionId), async ({ kernel }) => {
        const artifacts = of(kernel.session);
        if (params.name === undefined) return { artifacts: artifacts.list() };
        return { artifacts: known(artifacts, params.name) };
      }),
    ),
    get_artifact: handler(
      z.strictObject({ sessionId, name, version: z.number().int().min(0).optional() }),
      (params, { look, resolve }) =>
        look(resolve(params.sessionId), async ({ kernel }) => {
          const artifacts = of(kernel.session);
          known(artifacts, params.name);
          const found = artifacts.load(params.name, params.version);
          if (!found) throw unknown(artifacts, params.name);
          const { content, ...version } = found;
          return { ...version, base64: content.toString("base64") };
        }),
    ),
    remove_artifact: handler(z.strictObject({ sessionId, name }), async (params, { open, resolve }) => {
      const { kernel } = await open(resolve(params.sessionId));
      const artifacts = of(kernel.session);
      if (!(await artifacts.remove(params.name))) throw unknown(artifacts, params.name);
      return { name: params.name };
    }),
  };
}

function known(artifacts: SessionArtifacts, wanted: string) {
  const versions = artifacts.versions(wanted);
  if (versions.length === 0) throw unknown(artifacts, wanted);
  return versions;
}

function unknown(artifacts: SessionArtifacts, wanted: string) {
  return errors.ARTIFACT_UNKNOWN({ name: wanted, known: artifacts.list().map((each) => each.name) });
}

function handler<O extends Operation>(
  params: z.ZodType<Operations[O]["params"]>,
  run: OperationHandler<O>["run"],
): OperationHandler<O> {
  return { params, run };
}
