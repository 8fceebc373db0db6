import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Attachment } from "../parts.ts";

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
/** The most characters of a path that a terminal writes for a dropped file. */
const LONGEST = 4_096;

/** Whether a path is absolute and has the ending of a picture. */
export function isImagePath(path: string): boolean {
  return isAbsolute(path) && IMAGE.test(path);
}

/** The attachment for pasted text that is the path of a picture: terminals write the path of a file that is dropped on them. */
export function droppedImage(pasted: string, cwd: string): Attachment | undefined {
  const path = pathOf(pasted.trim(), cwd);
  if (path === undefined || !IMAGE.test(path)) return undefined;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  // Not `@` and the path: the host attaches files that a message mentions, so the picture would be attached twice.
  return { mark: `[image ${path}]`, path };
}

/** The path in pasted text. Terminals write it in quotes, with backslashes before spaces, or as a `file:` URL. */
function pathOf(text: string, cwd: string): string | undefined {
  if (text === "" || text.length > LONGEST || /[\n\0]/.test(text)) return undefined;
  if (text.startsWith("file://")) return URL.canParse(text) ? localPath(text) : undefined;
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  const path = quoted ?? text.replace(/\\(.)/g, "$1");
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  if (isAbsolute(path)) return path;
  return /^\.{1,2}\//.test(path) ? resolve(cwd, path) : undefined;
}

function localPath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // The URL names another computer.
    return undefined;
  }
}
