import { crc32, deflateSync } from "node:zlib";
import { PhotonImage } from "@silvia-odwyer/photon-node";

/** Red, green, blue and opacity of one pixel. */
export type Pixel = readonly [number, number, number, number];
export type Paint = (x: number, y: number) => Pixel;

export interface Decoded {
  width: number;
  height: number;
  at(x: number, y: number): Pixel;
}

/** Decodes a picture with the library; bytes in a request must be readable by it, too. */
export function decode(bytes: Uint8Array): Decoded {
  const image = PhotonImage.new_from_byteslice(bytes);
  const [width, height, pixels] = [image.get_width(), image.get_height(), image.get_raw_pixels()];
  image.free();
  const at = (x: number, y: number) => [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
  return { width, height, at: at as unknown as Decoded["at"] };
}

/** Four quarters of different colours; their positions show how a picture was turned. */
export function quarters(width: number, height: number): Paint {
  return (x, y) => COLOURS[`${y < height / 2 ? "top" : "bottom"} ${x < width / 2 ? "left" : "right"}`] as Pixel;
}
export const COLOURS: Readonly<Record<string, Pixel>> = {
  "top left": [250, 0, 0, 255],
  "top right": [0, 250, 0, 255],
  "bottom left": [0, 0, 250, 255],
  "bottom right": [250, 250, 0, 255],
};
/** Noise, which no format can compress; the same in every run. */
export function noise(opacity = 255): Paint {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    return (seed >>> 24) & 255;
  };
  return () => [next(), next(), next(), opacity];
}

export function png(width: number, height: number, paint: Paint, more: readonly Buffer[] = []): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) for (const channel of paint(x, y)) rows[at++] = channel;
  }
  return pngOf(width, height, [...more, pngChunk("IDAT", deflateSync(rows, { level: 1 }))]);
}

/** A PNG file that states this size, whatever its chunks contain. */
export function pngOf(width: number, height: number, chunks: readonly Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, pngChunk("IHDR", header), ...chunks, pngChunk("IEND", Buffer.alloc(0))]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

export function jpeg(width: number, height: number, paint: Paint, quality = 95): Buffer {
  return Buffer.from(photonOf(width, height, paint).get_bytes_jpeg(quality));
}

/** A lossless WebP file, as the library writes it. */
export function webp(width: number, height: number, paint: Paint): Buffer {
  return Buffer.from(photonOf(width, height, paint).get_bytes_webp());
}

function photonOf(width: number, height: number, paint: Paint): PhotonImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at += 4) pixels.set(paint(x, y), at);
  return new PhotonImage(pixels, width, height);
}

/** EXIF data with one entry, the orientation. */
export function exif(orientation: number, order: "II" | "MM" = "MM"): Buffer {
  const entry = [0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  if (order === "MM") return Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, ...entry]);
  const little = [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0];
  return Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0, ...little]);
}

/** A JPEG file with EXIF data inserted at its start. */
export function withExif(bytes: Buffer, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), data]);
  const length = body.length + 2;
  const marker = Buffer.from([0xff, 0xe1, length >> 8, length & 255]);
  return Buffer.concat([bytes.subarray(0, 2), marker, body, bytes.subarray(2)]);
}

/** A GIF file with frames of one colour each, alternately red and blue. */
export function gif(width: number, height: number, frames: number): Buffer {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  const head = [...Buffer.from("GIF89a"), ...size, 0x80, 0, 0, 250, 0, 0, 0, 0, 250];
  const frame = (index: number) => [
    ...[0x21, 0xf9, 4, 0, 10, 0, 0, 0],
    ...[0x2c, 0, 0, 0, 0, ...size, 0],
    ...[2, ...blocksOf(uncompressed(width * height, index % 2)), 0],
  ];
  return Buffer.from([...head, ...Array.from({ length: frames }, (_, index) => frame(index)).flat(), 0x3b]);
}

/** LZW codes that are always three bits long: the table is cleared before it grows. */
function uncompressed(pixels: number, colour: number): number[] {
  const codes: number[] = [];
  for (let index = 0; index < pixels; index++) codes.push(...(index % 2 === 0 ? [4] : []), colour);
  const bits = [...codes, 5].flatMap((code) => [code & 1, (code >> 1) & 1, (code >> 2) & 1]);
  return Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit, index) => byte | (bit << index), 0),
  );
}

function blocksOf(data: readonly number[]): number[] {
  const blocks: number[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const part = data.slice(at, at + 255);
    blocks.push(part.length, ...part);
  }
  return blocks;
}
