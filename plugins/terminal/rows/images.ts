import { getImageDimensions } from "@mariozechner/pi-tui/dist/terminal-image.js";
import type { Pictures } from "../screen/pictures.ts";
import type { Look, RowFacts } from "./look.ts";
import { safeLine } from "./safe.ts";
import { cut } from "./wrap.ts";

/** An image of a message, in base64. */
export interface Image {
  data: string;
  mimeType: string;
}
interface Size {
  widthPx: number;
  heightPx: number;
}

/** The most characters of base64 of a picture that is shown; a larger one is only named in a line. */
const MOST_CHARACTERS = 4_000_000;
const MOST_PIXELS = 50_000_000;
/** The number of first characters in which the header with the size of a picture is searched. */
const HEADER = 400_000;
/** The approximate size of a terminal's cell, in pixels. */
const CELL = { width: 9, height: 18 };
const MOST_COLUMNS = 72;
const MOST_ROWS = 12;
const MOST_ROWS_OPEN = 30;
/** The types of pictures that each protocol can show. */
const TYPES = { kitty: ["image/png"], iterm2: ["image/png", "image/jpeg", "image/gif", "image/webp"] };

/** The images of an event's message. Events of other plugins may have any form. */
export function imagesIn(event: object): Image[] {
  const { content } = ((event as { message?: unknown }).message ?? {}) as { content?: unknown };
  return Array.isArray(content) ? content.filter(isImage) : [];
}

function isImage(block: unknown): block is Image {
  const { type, data, mimeType } = (block ?? {}) as Record<string, unknown>;
  return type === "image" && typeof data === "string" && typeof mimeType === "string";
}

/** A line about each image, and the image below it where the terminal can show it. */
export function imageLines(images: readonly Image[], width: number, look: Look, facts: RowFacts): string[] {
  return images.flatMap((image) => {
    const size = sizeOf(image);
    const line = cut(look.theme.style("muted", `▣ ${captionOf(image, size, look)}`), width);
    const shown =
      size && look.pictures ? pictureLines(image, size, look.pictures, width, facts.isOpen || look.isExpanded) : [];
    return [line, ...shown];
  });
}

function captionOf({ data, mimeType }: Image, size: Size | undefined, { words }: Look): string {
  const pixels = size ? [`${size.widthPx}×${size.heightPx}`] : [];
  return `${words.image}: ${[safeLine(mimeType.replace("image/", "")), ...pixels, bytesText((data.length * 3) / 4)].join(", ")}`;
}

function pictureLines(
  { data, mimeType }: Image,
  { widthPx, heightPx }: Size,
  pictures: Pictures,
  width: number,
  isOpen = false,
): string[] {
  const isShown =
    TYPES[pictures.graphics].includes(mimeType) && data.length <= MOST_CHARACTERS && widthPx * heightPx <= MOST_PIXELS;
  if (!isShown || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return [];
  const room = Math.max(1, Math.min(width - 4, MOST_COLUMNS));
  const mostRows = isOpen ? MOST_ROWS_OPEN : MOST_ROWS;
  const scale = Math.min(1, (room * CELL.width) / widthPx, (mostRows * CELL.height) / heightPx);
  const columns = Math.min(room, Math.max(1, Math.ceil((widthPx * scale) / CELL.width)));
  const rows = Math.min(mostRows, Math.max(1, Math.ceil((heightPx * scale) / CELL.height)));
  return pictures.lines({ data, height: heightPx }, columns, rows);
}

function sizeOf({ data, mimeType }: Image): Size | undefined {
  const size = getImageDimensions(data.slice(0, HEADER), mimeType);
  return size && size.widthPx > 0 && size.heightPx > 0 ? size : undefined;
}

function bytesText(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
