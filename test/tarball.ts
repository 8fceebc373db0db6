import { gzipSync } from "node:zlib";

/** One entry of a tar, written byte by byte, so that it can be invalid. */
export interface TarEntry {
  path: string;
  content?: string | Buffer;
  /** The type flag. Default: `0`, a file. */
  type?: string;
  link?: string;
  mode?: number;
  /** Replaces the size of the content in the header. */
  size?: number;
  checksum?: "wrong";
}

/** A tar of these entries, with the two empty blocks at its end. */
export function tar(entries: readonly TarEntry[], end = 2): Buffer {
  return Buffer.concat([...entries.map(block), Buffer.alloc(512 * end)]);
}

/** Like a tarball of `npm pack`: everything below `package/`, compressed. */
export function npmTarball(files: Readonly<Record<string, string>>): Buffer {
  return gzipSync(tar(Object.entries(files).map(([path, content]) => ({ path: `package/${path}`, content }))));
}

/** A pax header for the next entry. */
export function pax(fields: Readonly<Record<string, string>>): TarEntry {
  const content = Object.entries(fields)
    .map(([key, value]) => paxRecord(key, value))
    .join("");
  return { path: "PaxHeader/x", type: "x", content };
}

/** A record of a pax header, which begins with its own length. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (length !== Buffer.byteLength(`${length}${rest}`)) length = Buffer.byteLength(`${length}${rest}`);
  return `${length}${rest}`;
}

function block({ path, content = "", type = "0", link = "", mode = 0o644, size, checksum }: TarEntry): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  octal(header, mode, 100, 8);
  octal(header, 0, 108, 8);
  octal(header, 0, 116, 8);
  octal(header, size ?? body.length, 124, 12);
  octal(header, 0, 136, 12);
  header.fill(" ", 148, 156);
  header.write(type, 156, 1);
  header.write(link, 157, 100);
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0) + (checksum === "wrong" ? 1 : 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, 8, "latin1");
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

function octal(header: Buffer, value: number, at: number, length: number): void {
  header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, length, "latin1");
}
