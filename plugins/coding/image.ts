import type { ToolOutput } from "@scorel/tools/contract";
import { errors } from "./errors.ts";
import type { Place } from "./paths.ts";

/** Providers take about 5 MB of base64. */
const MAX_BYTES = 3_750_000;

/** The media type of an image that models take, by its first bytes. */
export function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return start.startsWith("RIFF") && start.endsWith("WEBP") ? "image/webp" : undefined;
}

/** The image as the model gets it; throws FILE_BINARY when it cannot be sent. */
export function showImage(place: Place, bytes: Buffer, mimeType: string, taken: boolean): ToolOutput {
  const refuse = (hint: string) => errors.FILE_BINARY({ path: place.shown, kind: `an image (${mimeType})`, hint });
  if (!taken) throw refuse("The model takes no images; inspect it with Bash (file, identify).");
  if (bytes.length > MAX_BYTES)
    throw refuse(`It has ${bytes.length} bytes, more than ${MAX_BYTES}; make it smaller with Bash first.`);
  return {
    content: [
      { type: "text", text: `[${mimeType}, ${bytes.length} bytes]` },
      { type: "image", data: bytes.toString("base64"), mimeType },
    ],
    details: { image: { path: place.path, mimeType, bytes: bytes.length } },
  };
}
