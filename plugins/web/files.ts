import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { errors } from "./errors.ts";

/** The folder into which the page is built, beside the folders with code. */
export const BUILT = fileURLToPath(new URL("../web/built/", import.meta.url));

/** A file of the page, ready to be sent. */
export interface WebFile {
  bytes: Buffer;
  /** The gzipped bytes; undefined if they are not smaller. */
  zipped?: Buffer;
  type: string;
  /** Identifies the contents, for `If-None-Match`. */
  tag: string;
  /** Whether its name changes with its contents, so that browsers may cache it forever. */
  isFixed: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};

/** Reads the built page. Returns its files by path, so that a request cannot name any other file. Throws WEB_PAGE_UNBUILT. */
export async function readPage(folder: string): Promise<ReadonlyMap<string, WebFile>> {
  const files = new Map<string, WebFile>();
  try {
    files.set("/", await readWebFile(folder, "index.html"));
    files.set("/worker.js", await readWebFile(folder, "worker.js"));
    for (const name of await readdir(join(folder, "page")))
      if (!name.endsWith(".gz")) files.set(`/page/${name}`, await readWebFile(folder, `page/${name}`));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    throw errors.WEB_PAGE_UNBUILT({ folder }, { cause: thrown });
  }
  return files;
}

async function readWebFile(folder: string, name: string): Promise<WebFile> {
  const bytes = await readFile(join(folder, name));
  const zipped = await readFile(join(folder, `${name}.gz`)).catch(() => undefined);
  return { ...webFile(name, bytes), ...(zipped && { zipped }) };
}

/** Makes a file with these contents, without compression. */
export function webFile(name: string, bytes: Buffer): WebFile {
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  return {
    bytes,
    type: TYPES[extname(name)] ?? "application/octet-stream",
    tag: `"${digest}"`,
    isFixed: /-[\w-]{8}\.\w+$/.test(name),
  };
}
