import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

/** What a model gets to see of an image file. */
export interface ShownImage {
  /** A line that says what it is, and the image; where it cannot be shown, a line that says why and what to do. */
  content: (TextBlock | ImageBlock)[];
  /** The image is in the content. */
  shown: boolean;
  /** Of the file, by its content. */
  mimeType: string;
  /** Of the file. */
  bytes: number;
  /** Pixels of the file, upright; absent where they could not be read. */
  width?: number;
  height?: number;
}

/**
 * Makes images ready for the model in use: upright, within what providers take, as text where that cannot be.
 * Neither a damaged nor a hostile file makes it fail; only the signal does.
 */
export interface ImagesService {
  /** A file that a tool shows to the model under this name. */
  show(bytes: Uint8Array, name: string, signal?: AbortSignal): Promise<ShownImage>;
  /** The blocks of a message or a result, with each image that has to be changed or explained replaced. */
  fit(content: readonly (TextBlock | ImageBlock)[], signal?: AbortSignal): Promise<(TextBlock | ImageBlock)[]>;
}

declare module "@scorel/kernel" {
  interface Services {
    images: ImagesService;
  }
}
