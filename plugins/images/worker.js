/**
 * Decodes, shrinks, rotates and encodes one image on its own thread: long computations block nobody, a hostile file can at
 * worst end this thread, and its memory is returned. Plain JavaScript, because threads of Node 20 run no TypeScript.
 */
import { parentPort, workerData } from "node:worker_threads";
import photon from "@silvia-odwyer/photon-node";

const LANCZOS = 5;
const QUALITIES = [85, 70, 50];
/** By how much each side shrinks when no quality was small enough. */
const STEP = 0.7;

const { bytes, orientation, lossless, maxSide, maxBytes } = workerData;
parentPort.postMessage(fitting(photon.PhotonImage.new_from_byteslice(bytes)));

/** The largest version that fits; the smallest configurable limit has room for 64 pixels per side. */
function fitting(image) {
  const [width, height] = [image.get_width(), image.get_height()];
  for (let side = Math.min(maxSide, Math.max(width, height)); ; side = Math.floor(side * STEP)) {
    const found = encoded(turned(shrunk(image, side / Math.max(width, height))));
    if (found) return found;
  }
}

function shrunk(image, factor) {
  const [width, height] = [image.get_width(), image.get_height()];
  const scaled = (side) => Math.max(1, Math.round(side * factor));
  const small = factor < 1 ? photon.resize(image, scaled(width), scaled(height), LANCZOS) : image;
  const pixels = small.get_raw_pixels();
  return { width: small.get_width(), height: small.get_height(), pixels: new Uint32Array(pixels.buffer) };
}

/** Rotates the image upright, for the eight orientations of EXIF. */
function turned({ width, height, pixels }) {
  if (orientation === 1) return { width, height, pixels };
  const swapped = orientation >= 5;
  const [across, down] = swapped ? [height, width] : [width, height];
  const result = new Uint32Array(pixels.length);
  for (let y = 0, at = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const [u, v] = swapped ? [y, x] : [x, y];
      const column = [2, 3, 7, 8].includes(orientation) ? width - 1 - u : u;
      const row = [3, 4, 6, 7].includes(orientation) ? height - 1 - v : v;
      result[at++] = pixels[row * width + column];
    }
  return { width: across, height: down, pixels: result };
}

/** Encodes as PNG if the image is lossless or transparent and fits, else as JPEG on white; undefined if neither fits. */
function encoded({ width, height, pixels }) {
  const channels = new Uint8Array(pixels.buffer);
  const clear = isClear(channels);
  const answer = (bytes, mimeType) => ({ bytes, mimeType, width, height });
  if (lossless || clear) {
    const png = new photon.PhotonImage(channels, width, height).get_bytes();
    if (png.length <= maxBytes) return answer(png, "image/png");
  }
  const image = new photon.PhotonImage(clear ? onWhite(channels) : channels, width, height);
  for (const quality of QUALITIES) {
    const jpeg = image.get_bytes_jpeg(quality);
    if (jpeg.length <= maxBytes) return answer(jpeg, "image/jpeg");
  }
}

function isClear(channels) {
  for (let at = 3; at < channels.length; at += 4) if (channels[at] < 255) return true;
  return false;
}

function onWhite(channels) {
  const result = new Uint8Array(channels.length).fill(255);
  for (let at = 0; at < channels.length; at += 4)
    for (let channel = at; channel < at + 3; channel++)
      result[channel] = 255 + Math.round(((channels[channel] - 255) * channels[at + 3]) / 255);
  return result;
}
