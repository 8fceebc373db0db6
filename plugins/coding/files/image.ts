import type { ToolOutput } from "@scorel/tools/contract";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import type { Place } from "./paths.ts";

/** The context that an image takes up, in bytes of text; the same for images of every size. */
export const IMAGE_BYTES = 4_800;

/**
 * The image as content for the model, or a text if it cannot be shown. Throws FILE_BINARY without the service `images`.
 */
export async function showImage(
  place: Place,
  bytes: Buffer,
  mimeType: string,
  { images }: Environment,
  signal?: AbortSignal,
): Promise<ToolOutput> {
  const service = images();
  if (!service)
    throw errors.FILE_BINARY({
      path: place.shown,
      kind: `an image (${mimeType})`,
      hint: 'This preset has no plugin "images"; inspect it with Bash (file, identify).',
    });
  const { content, shown, ...facts } = await service.show(bytes, place.shown, signal);
  return { content, details: { image: { path: place.path, shown, ...facts } } };
}
