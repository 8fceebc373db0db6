import { replay } from "@scorel/kit/schema/replay";
import { z } from "zod";
import type { LineageTree } from "./contract.ts";

const lineageInput = z.strictObject({
  from: z.string(),
  to: z.string(),
  sha256: z.string(),
  artifact: z.string().optional(),
  version: z.number().optional(),
});
const lineage = z.looseObject({
  by: z.string(),
  skill: z.strictObject({ name: z.string(), digest: z.string() }).optional(),
  command: z.string().optional(),
  inputs: z.array(lineageInput).optional(),
  run: z.strictObject({ sha256: z.string() }).optional(),
});
const artifactVersion = z.strictObject({
  name: z.string(),
  version: z.number(),
  sha256: z.string(),
  size: z.number(),
  mimeType: z.string(),
  savedAt: z.number(),
  lineage: lineage.optional(),
});
const lineageTree: z.ZodType<LineageTree> = z.strictObject({
  artifact: artifactVersion,
  again: z.literal(true).optional(),
  cut: z.literal(true).optional(),
  inputs: z.array(lineageInput.extend({ made: z.lazy(() => lineageTree).optional() })),
});
/** The schemas of what the operations return. */
export const results = {
  list_artifacts: z.strictObject({ artifacts: z.array(artifactVersion) }),
  get_artifact: artifactVersion.extend({ base64: z.string() }),
  get_lineage: lineageTree,
  replay_artifact: replay,
  remove_artifact: z.strictObject({ name: z.string() }),
};
