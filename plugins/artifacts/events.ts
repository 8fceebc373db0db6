import type { EventDefinition, EventOf, Events } from "@scorel/kernel";
import { sizeText } from "@scorel/kit/text/size";
import { z } from "zod";

/** The schema of a version, also used for the file with the user's artifacts. */
export const artifactVersion = z.strictObject({
  name: z.string().min(1),
  version: z.number().int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().min(0),
  mimeType: z.string(),
  savedAt: z.number(),
  lineage: z.looseObject({ by: z.string() }).optional(),
}) as z.ZodType<Events["artifact"]>;

/** Both events are side events, and are on disk before any subscriber gets them. */
export const artifact: EventDefinition<Events["artifact"]> = {
  schema: artifactVersion,
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: ({ name, version, size }: EventOf<"artifact">) => ({
    display: "notice",
    level: "info",
    text: `saved ${name}@${version} (${sizeText(size)})`,
  }),
};

export const artifactRemoved: EventDefinition<Events["artifact_removed"]> = {
  schema: z.strictObject({ name: z.string().min(1) }),
  durable: true,
  leaf: (_event, current) => current,
  convertToDisplay: ({ name }: EventOf<"artifact_removed">) => ({
    display: "notice",
    level: "info",
    text: `removed ${name}`,
  }),
};
