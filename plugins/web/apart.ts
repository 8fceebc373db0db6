import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { makeFolder } from "@scorel/kit/files/make-folder";
import type { WrittenPage } from "@scorel/relay/contract";
import { pathOf, send } from "./answer.ts";
import { errors } from "./errors.ts";
import { BUILT, readPage, type WebFile, webFile } from "./files.ts";
import { policy } from "./policy.ts";

/** Tells the page that its server is not a host. */
const MARK = '<meta name="scorel-apart">';
/** Any relay is allowed, since a person may name any. Without TLS only on this computer, for trying things out. */
const RELAYS = ["'self'", "wss:", "ws://127.0.0.1:*", "ws://localhost:*"];
/** Milliseconds that a client of the server may take to read an answer. */
const READING_MS = 30_000;

/** The page for servers that are not hosts. */
export interface ApartPage {
  /** Files by path. */
  files: ReadonlyMap<string, WebFile>;
  /** SHA-256 of its index.html, in hexadecimal digits. */
  hash: string;
  /** Source for the policy that allows the script in index.html. */
  script: string;
}

/**
 * The built page, changed for servers that are not hosts. Its index.html contains the digests of all scripts and styles, so that its own
 * hash stands for all of them, and the policy. It has no service worker, since no digest could cover that. Throws WEB_PAGE_UNBUILT.
 */
export async function apartPage(folder = BUILT): Promise<ApartPage> {
  const files = new Map(await readPage(folder));
  files.delete("/worker.js");
  const map = JSON.stringify({ integrity: digestsOf(files) });
  const script = `'sha256-${createHash("sha256").update(map).digest("base64")}'`;
  const built = (files.get("/") as WebFile).bytes.toString();
  const bytes = Buffer.from(changed(built, { files, map, script }));
  files.set("/", { ...webFile("index.html", bytes), zipped: gzipSync(bytes, { level: 9 }) });
  return { files, script, hash: createHash("sha256").update(bytes).digest("hex") };
}

interface Change {
  files: ReadonlyMap<string, WebFile>;
  map: string;
  script: string;
}

function changed(index: string, { files, map, script }: Change): string {
  const inside = policy({ connect: RELAYS, script, worker: false, inHeader: false });
  const first = [
    MARK,
    `<meta http-equiv="Content-Security-Policy" content="${inside}">`,
    '<meta name="referrer" content="no-referrer">',
    // Before all scripts, since it contains their digests.
    `<script type="importmap">${map}</script>`,
  ];
  return index
    .replace(/ *<link rel="manifest"[^>]*>\n/, "")
    .replace(/(?<=<(?:script|link)\b[^>]*) (?:src|href)="\.(\/page\/[\w.-]+\.(?:js|css))"/g, (found, path: string) => {
      const file = files.get(path);
      return file ? `${found} integrity="${integrityOf(file)}"` : found;
    })
    .replace(/(<meta charset="utf-8" ?\/?>)/, [`$1`, ...first].join("\n    "));
}

/** The digests of the scripts, for an import map. */
function digestsOf(files: ReadonlyMap<string, WebFile>): Record<string, string> {
  const scripts = [...files].filter(([path]) => path.endsWith(".js")).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(scripts.map(([path, file]) => [`.${path}`, integrityOf(file)]));
}

function integrityOf({ bytes }: WebFile): string {
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}

/** Writes the page into a folder for a web server. Writes index.html last, since it refers to the other files. Throws WEB_PAGE_FOLDER. */
export async function writeApart(folder: string, from = BUILT): Promise<WrittenPage> {
  const { files, hash, script } = await apartPage(from);
  await assertFree(folder);
  const others = [...files].filter(([path]) => path !== "/");
  for (const [path, file] of others) await write(join(folder, path), file);
  await write(join(folder, "index.html"), files.get("/") as WebFile);
  return { hash, headers: headersOf(RELAYS, script) };
}

async function write(path: string, { bytes, zipped }: WebFile): Promise<void> {
  makeFolder(dirname(path), 0o777);
  await writeFile(path, bytes);
  if (zipped) await writeFile(`${path}.gz`, zipped);
}

/** An earlier version of the page may be replaced, but no other index.html. */
async function assertFree(folder: string): Promise<void> {
  try {
    if ((await readFile(join(folder, "index.html"), "utf8")).includes(MARK)) return;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return;
    throw errors.WEB_PAGE_FOLDER({ folder }, { cause: thrown });
  }
  throw errors.WEB_PAGE_FOLDER({ folder });
}

/** Headers that a server should send with the page. */
function headersOf(connect: readonly string[], script: string): Record<string, string> {
  return {
    "Content-Security-Policy": policy({ connect, script, worker: false }),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  };
}

/** Answers with a file of the page at the address of a relay. The page may only connect to that relay. */
export function answerApart(page: ApartPage, request: IncomingMessage, response: ServerResponse): void {
  response.setTimeout(READING_MS);
  if (["GET", "HEAD"].includes(request.method ?? "")) sendApart(page, request, response);
  else response.writeHead(405, { Allow: "GET, HEAD" }).end();
}

/** Answers with a file of the page below a path of a host, for browsers without a token of that host. The page may connect to any relay. */
export function answerBelow(path: string, page: ApartPage, request: IncomingMessage, response: ServerResponse): void {
  sendApart(page, request, response, { connect: RELAYS, path: pathOf(request).slice(path.length - 1) });
}

function sendApart(
  { files, script }: ApartPage,
  request: IncomingMessage,
  response: ServerResponse,
  { connect = ["'self'"], path = pathOf(request) }: { connect?: readonly string[]; path?: string } = {},
): void {
  const { "Content-Security-Policy": allowed = "", ...others } = headersOf(connect, script);
  for (const [name, value] of Object.entries(others)) response.setHeader(name, value);
  send(request, response, files.get(path), allowed);
}
