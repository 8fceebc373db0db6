import type { Client, Operations } from "@scorel/host/contract";
import { type Contributions, codeOf, type Session } from "@scorel/kernel";
import { z } from "zod";
import type { ArtifactVersion, Replay, SessionArtifacts } from "./contract.ts";
import { errors } from "./errors.ts";
import { known, treeOf, versionOf } from "./lineage.ts";

const sessionId = z.string().min(1);
const name = z.string().min(1);
const count = z.number().int().min(0).optional();
const one = () => z.strictObject({ sessionId, name, version: count });

/** The schemas of the results. They are loaded only when a client asks for a description or results are checked. */
const results = async () => (await import("./operation-results.ts")).results;

/** The operations by which clients use a session's artifacts. */
export function operations(of: (session: Session) => SessionArtifacts) {
  return {
    list_artifacts: {
      summary: "Lists the artifacts of a session, or the versions of one.",
      readOnly: true,
      size: "pages",
      params: () => z.strictObject({ sessionId, name: name.optional() }),
      result: async () => (await results()).list_artifacts,
      run: (params, { look, resolve }) =>
        look(resolve(params.sessionId), async ({ kernel }) => {
          const artifacts = of(kernel.session);
          if (params.name === undefined) return { artifacts: artifacts.list() };
          return { artifacts: known(artifacts, params.name) };
        }),
    },
    get_artifact: {
      summary: "Returns the bytes of an artifact in base64, or a part of them.",
      readOnly: true,
      size: { bounded: "The inputs of one version." },
      params: () => one().extend({ offset: count, length: count }),
      result: async () => (await results()).get_artifact,
      run: (params, { look, resolve }) =>
        look(resolve(params.sessionId), async ({ kernel }) => {
          const artifacts = of(kernel.session);
          const { offset = 0, length } = params;
          if (length !== undefined) {
            const part = versionOf(artifacts, params.name, params.version);
            return { ...part, base64: artifacts.part(part, offset, length).toString("base64") };
          }
          const found = artifacts.load(params.name, params.version);
          if (!found) throw unknown(artifacts, params.name);
          const { content, ...version } = found;
          return { ...version, base64: content.toString("base64") };
        }),
    },
    get_lineage: {
      summary: "Returns what an artifact was made from, recursively.",
      readOnly: true,
      size: { bounded: "The lineage has at most 10,000 artifacts and inputs." },
      params: () => one(),
      result: async () => (await results()).get_lineage,
      run: (params, { look, resolve }) =>
        look(resolve(params.sessionId), async ({ kernel }) => {
          const artifacts = of(kernel.session);
          return treeOf(artifacts, versionOf(artifacts, params.name, params.version));
        }),
    },
    replay_artifact: {
      summary: "Repeats the run that made an artifact, in a new workspace, and compares the results.",

      size: { bounded: "The inputs and outputs of one run." },
      params: () =>
        one().extend({
          sandbox: z.enum(["auto", "bubblewrap", "docker", "podman", "local"]).optional(),
          keep: z.boolean().optional(),
        }),
      result: async () => (await results()).replay_artifact,
      run: async (params, { look, resolve, request }) => {
        const found = await look(resolve(params.sessionId), ({ kernel, workspace: { cwd } }) => ({
          artifact: versionOf(of(kernel.session), params.name, params.version),
          cwd,
        }));
        return replay(found, params, request);
      },
    },
    remove_artifact: {
      summary: "Removes an artifact from the session, with all its versions.",

      params: () => z.strictObject({ sessionId, name }),
      result: async () => (await results()).remove_artifact,
      run: async (params, { open, resolve }) => {
        const { kernel } = await open(resolve(params.sessionId));
        const artifacts = of(kernel.session);
        if (!(await artifacts.remove(params.name))) throw unknown(artifacts, params.name);
        return { name: params.name };
      },
    },
  } satisfies Contributions["operations"];
}

function unknown(artifacts: SessionArtifacts, wanted: string) {
  return errors.ARTIFACT_UNKNOWN({ name: wanted, known: artifacts.list().map((each) => each.name) });
}

/** Replays an artifact in a temporary session. */
async function replay(
  { artifact, cwd }: { artifact: ArtifactVersion; cwd: string },
  { sandbox, keep }: Operations["replay_artifact"]["params"],
  request: Client["request"],
): Promise<Replay> {
  const { sessionId } = await request("create_session", { cwd, unsaved: true, sandbox });
  try {
    return await request("make_again", { sessionId, artifact, keep });
  } catch (thrown) {
    if (codeOf(thrown) !== "HOST_OPERATION_UNKNOWN") throw thrown;
    const by = artifact.lineage?.by ?? "an unknown plugin";
    throw errors.ARTIFACT_NO_REPLAY({ name: artifact.name, reason: `it was saved by ${by}, which cannot be run here` });
  } finally {
    await request("close_session", { sessionId });
  }
}
