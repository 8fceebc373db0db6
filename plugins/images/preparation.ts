import { imageType } from "@scorel/kit/files/image-type";
import type { ImageBlock } from "@scorel/messages/contract";
import { type Changed, change, type Unchangeable } from "./change.ts";
import type { Limits } from "./config.ts";
import type { ShownImage } from "./contract.ts";
import type { Header } from "./header.ts";
import { readHeader } from "./headers.ts";

/** The largest image to decode; more would take a gigabyte of memory. Checked in the header, before decoding. */
const MAX_PIXELS = 52_000_000;

/** A prepared image, or text in its place. */
export interface Prepared {
  text: string;
  image?: ImageBlock;
  /** Why there is no image. */
  reason?: string;
  /** Whether the image differs from the file's bytes. */
  changed: boolean;
  facts: Pick<ShownImage, "mimeType" | "bytes" | "width" | "height">;
}
export interface Audience {
  /** The name of a model that takes no images. */
  model?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Creates a function that prepares one image for a model within these limits. */
export function createPreparation(limits: Limits) {
  return async (bytes: Buffer, name: string, { model, signal }: Audience): Promise<Prepared> => {
    const mimeType = imageType(bytes) ?? "unknown data";
    const header = readHeader(bytes, mimeType);
    const file: File = { name, bytes, mimeType, ...(typeof header === "object" && { header }) };
    if (model !== undefined) return explained(file, `the model ${model} does not support images`, BLIND);
    if (header === undefined) return explained(file, "images of this kind cannot be shown", CONVERT);
    if (typeof header === "string") return explained(file, `the file is damaged: ${header}`, RENEW);
    if (header.width * header.height > MAX_PIXELS)
      return explained(file, `it has more than ${MAX_PIXELS / 1e6} million pixels`, SHRINK);
    if (isFine(file, header, limits)) return shown(file, header);
    const found = await change(taskOf(bytes, header, limits), limits.timeout, signal);
    return typeof found === "string" ? explained(file, ...reasonOf(found, limits)) : shown(file, header, found);
  };
}

interface File {
  name: string;
  bytes: Buffer;
  mimeType: string;
  header?: Header;
}

const BLIND =
  "Do not guess what it shows; say that you cannot see it, or learn about it with other tools (file, tesseract).";
const CONVERT = "Convert it to PNG or JPEG first (such as: magick in.heic out.png), then look at the result.";
const RENEW = "Create or fetch the file again.";
const SHRINK =
  "Make a smaller version, or crop it (such as: magick in.jpg -crop 2000x2000+0+0 out.jpg), and look at that.";

function reasonOf(found: Unchangeable, { timeout }: Limits): [reason: string, advice: string] {
  if (found === "damaged") return ["the file is damaged: it could not be decoded", RENEW];
  return [`it could not be converted within ${timeout} seconds`, SHRINK];
}

/**
 * Whether the file can be sent unchanged. GIFs are always converted to PNG: some providers take none, others no animated ones.
 */
function isFine({ bytes, mimeType }: File, { width, height, orientation, frames }: Header, limits: Limits): boolean {
  const still = frames === 1 && mimeType !== "image/gif";
  return (
    still && orientation === 1 && Math.max(width, height) <= limits.maxSide && base64Length(bytes) <= limits.maxBytes
  );
}

function taskOf(bytes: Buffer, { orientation, lossless }: Header, { maxSide, maxBytes }: Limits) {
  return { bytes, orientation, lossless, maxSide, maxBytes: Math.floor(maxBytes / 4) * 3 };
}

function base64Length({ length }: Uint8Array): number {
  return Math.ceil(length / 3) * 4;
}

function shown(file: File, header: Header, made?: Changed): Prepared {
  const { bytes, mimeType } = made ?? file;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  const from = made && `; ${changesIn(file, header, made).join("; ")}`;
  const text = `[${file.name}: ${described(made ?? { ...file, ...upright(header) })}${from ?? ""}]`;
  return { text, image: { type: "image", data, mimeType }, changed: made !== undefined, facts: factsOf(file) };
}

/** Describes the changes, so that the model can locate things in the file and knows what it does not see. */
function changesIn(file: File, header: Header, made: Changed): string[] {
  const { width } = upright(header);
  const factor = width / made.width;
  return [
    `made from ${described({ ...file, ...upright(header) })}`,
    ...(header.orientation === 1 ? [] : ["turned upright"]),
    ...(header.frames > 1 ? [`the first of ${header.frames} frames`] : []),
    ...(factor > 1.005 ? [`multiply coordinates by ${factor.toFixed(2)}`] : []),
  ];
}

function explained(file: File, reason: string, advice: string): Prepared {
  const size = file.header && upright(file.header);
  const text = `[${file.name}: ${described({ ...file, ...size })}. Not shown, because ${reason}. ${advice}]`;
  return { text, reason, changed: true, facts: factsOf(file) };
}

function described({ mimeType, width, height, bytes }: Partial<Changed> & Pick<Changed, "mimeType" | "bytes">): string {
  return [mimeType, ...(width === undefined ? [] : [`${width}x${height}`]), `${bytes.length} bytes`].join(", ");
}

function factsOf({ mimeType, bytes, header }: File): Prepared["facts"] {
  return { mimeType, bytes: bytes.length, ...(header && upright(header)) };
}

function upright({ width, height, orientation }: Header): { width: number; height: number } {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
