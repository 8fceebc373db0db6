/** Detects the type of an image by its first bytes. Has no dependencies, so that every client can use it. */

const PLAIN: readonly [start: string, mimeType: string][] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
  ["8BPS\0\x01", "image/vnd.adobe.photoshop"],
  ["\0\0\0\fJXL \r\n\x87\n", "image/jxl"],
  ["\0\0\x01\0", "image/x-icon"],
];
const BRANDS: Readonly<Record<string, string>> = {
  heic: "image/heic",
  heix: "image/heic",
  heim: "image/heic",
  hevc: "image/heic",
  mif1: "image/heic",
  msf1: "image/heic",
  avif: "image/avif",
  avis: "image/avif",
};

/** The media type of an image by its content, whether or not models accept it; undefined for other files, such as SVG. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = latin1(bytes.subarray(0, 18));
  const plain = PLAIN.find(([signature]) => start.startsWith(signature));
  if (plain) return plain[1];
  if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "image/webp";
  if (start.slice(4, 8) === "ftyp") return BRANDS[start.slice(8, 12)];
  return isBitmap(start) ? "image/bmp" : undefined;
}

/** Whether it is a BMP. Texts may begin with "BM", too, so the four reserved zeros and the header size are checked. */
function isBitmap(start: string): boolean {
  const zeros = start.slice(6, 10) === "\0\0\0\0" && start.slice(15) === "\0\0\0";
  return start.startsWith("BM") && zeros && "\fl|(".includes(start.charAt(14));
}

/** Whether a file is an SVG image, which can be read as text. */
export function isSvg(bytes: Uint8Array): boolean {
  const start = latin1(bytes.subarray(0, 1024));
  return /^(?:\xef\xbb\xbf)?\s*</.test(start) && /<svg[\s>]/.test(start);
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
