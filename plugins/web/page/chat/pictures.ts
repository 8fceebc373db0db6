import { imageType } from "@scorel/kit/files/image-type";
import { Store } from "../store.ts";

/** A picture that is sent with the message. */
export interface Picture {
  /** Distinguishes pictures with the same name. */
  id: number;
  name: string;
  mimeType: string;
  /** Base64. */
  data: string;
  bytes: number;
}

/** Most bytes of all pictures in one message. As base64, they have to fit into one message to the host. */
export const MOST_PICTURE_BYTES = 11_000_000;
/** Most bytes of a text file that is inserted into a message. */
export const MOST_TEXT_BYTES = 100_000;

/** How a file becomes part of a message, or why it cannot. */
export type Taken =
  | { is: "picture"; picture: Picture }
  | { is: "text"; text: string }
  | { is: "refused"; reason: "large" | "largeText" | "unknown" };

let last = 0;

/** Reads a file that was chosen, dropped or pasted. */
export async function takeFile(file: File): Promise<Taken> {
  if (file.size > MOST_PICTURE_BYTES) return { is: "refused", reason: "large" };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mimeType = imageType(bytes);
  if (mimeType !== undefined)
    return {
      is: "picture",
      picture: { id: ++last, name: file.name, mimeType, data: base64Of(bytes), bytes: bytes.length },
    };
  const text = textOf(bytes);
  if (text === undefined) return { is: "refused", reason: "unknown" };
  return bytes.length > MOST_TEXT_BYTES
    ? { is: "refused", reason: "largeText" }
    : { is: "text", text: quoted(file.name, text) };
}

/** The text of a file in the form in which it is inserted into a message, with its name. The fence is longer than any fence in the text. */
export function quoted(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `${name.replace(/\s+/g, " ")}:\n${fence}\n${text.replace(/\r\n/g, "\n").replace(/\n$/, "")}\n${fence}\n`;
}

/** Decodes bytes as text; undefined if they are not text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 32_768) parts.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  return btoa(parts.join(""));
}

/** The pictures of a message that was sent. */
export function picturesOf(images: readonly { data: string; mimeType: string }[]): Picture[] {
  return images.map(({ data, mimeType }) => ({
    id: ++last,
    name: "",
    mimeType,
    data,
    bytes: Math.ceil((data.length * 3) / 4),
  }));
}

/** The pictures of the message that is being written. */
export class Pictures extends Store<readonly Picture[]> {
  constructor() {
    super([]);
  }

  /** Adds a picture. Returns false if the message would become too large. */
  add(picture: Picture): boolean {
    const bytes = this.get().reduce((sum, other) => sum + other.bytes, picture.bytes);
    if (bytes > MOST_PICTURE_BYTES) return false;
    this.set([...this.get(), picture]);
    return true;
  }

  /** Adds the pictures of a message that returns to the field. */
  addAll(images: readonly { data: string; mimeType: string }[]): void {
    this.set([...this.get(), ...picturesOf(images)]);
  }

  remove(id: number): void {
    this.set(this.get().filter((picture) => picture.id !== id));
  }
}
