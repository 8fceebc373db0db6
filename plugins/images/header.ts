/** The header of an image file, read without decoding. */
export interface Header {
  /** The size in pixels as stored, before rotation; of the largest frame. */
  width: number;
  height: number;
  /** The orientation, 1 to 8 as in EXIF; 1 is upright. */
  orientation: number;
  /** 1 for a still image. */
  frames: number;
  /** Whether all pixels are exact, as in drawings and screenshots. */
  lossless: boolean;
}

/** Keeps the largest size that the file names, since a decoder may believe any of them. */
export function enlarge(header: Header, width: number, height: number): void {
  header.width = Math.max(header.width, width);
  header.height = Math.max(header.height, height);
}
