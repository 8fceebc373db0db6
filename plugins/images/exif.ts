const ORIENTATION = 0x0112;

/** The orientation in EXIF data (from its TIFF header on); 1 if it has none or an invalid one. */
export function exifOrientation(data: Buffer): number {
  const tiff = data.toString("latin1", 0, 6) === "Exif\0\0" ? data.subarray(6) : data;
  const order = tiff.toString("latin1", 0, 2);
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return 1;
  const little = order === "II";
  const short = (at: number) => (at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(first); entry++) {
    const at = first + 2 + entry * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) === ORIENTATION) return sensible(short(at + 8));
  }
  return 1;
}

function sensible(orientation: number): number {
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}
