/** What an image file says of itself, read without decoding it. */
export interface Header {
  /** Pixels as stored, before it is turned; of the largest frame. */
  width: number;
  height: number;
  /** How it is to be turned, 1 to 8 as EXIF has it; 1 is upright. */
  orientation: number;
  /** 1 for a still image. */
  frames: number;
  /** Every pixel was kept, as in drawings and pictures of a screen. */
  lossless: boolean;
}

/** Takes the largest size that is named: a decoder might believe either of two. */
export function enlarge(header: Header, width: number, height: number): void {
  header.width = Math.max(header.width, width);
  header.height = Math.max(header.height, height);
}
