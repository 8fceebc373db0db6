import type { ImageBlock, TextBlock } from "@scorel/messages/contract";

/** An image file as a model sees it. */
export interface ShownImage {
  /** A line that describes the image, and the image; if it cannot be shown, a line with the reason and what to do. */
  content: (TextBlock | ImageBlock)[];
  /** Whether the content includes the image. */
  shown: boolean;
  /** The file's type, by its content. */
  mimeType: string;
  /** The file's size. */
  bytes: number;
  /** The size in pixels, upright; absent if it could not be read. */
  width?: number;
  height?: number;
}

/**
 * Prepares images for the current model: upright, within the providers' limits, and replaced by text if they cannot be shown.
 * Damaged and hostile files do not make it fail; only the signal does.
 */
export interface ImagesService {
  /** Prepares a file that a tool shows to the model under this name. */
  show(bytes: Uint8Array, name: string, signal?: AbortSignal): Promise<ShownImage>;
  /** The blocks of a message or result, with images changed or replaced by an explanation as needed. */
  fit(content: readonly (TextBlock | ImageBlock)[], signal?: AbortSignal): Promise<(TextBlock | ImageBlock)[]>;
}

declare module "@scorel/kernel" {
  interface Services {
    images: ImagesService;
  }
}
