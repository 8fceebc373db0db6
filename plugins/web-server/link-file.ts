import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { replaceFile } from "@scorel/kit/files/private";
import { inOwnFolder, inStateFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import { folder } from "./token-store.ts";

const LINK_FILE = /^link-[\w-]{22}\.html$/;

/** Writes an HTML file that only this user can read and that opens a link. Returns its path, and a function that removes it. */
export function writeLinkFile(link: string): { path: string; remove(): void } {
  const name = `link-${randomBytes(16).toString("base64url")}.html`;
  const text = `<!doctype html><meta http-equiv="refresh" content="0;url=${link}"><a href="${link}">Scorel</a>\n`;
  inOwnFolder(folder(), (opened) => replaceFile(opened.at(name), text));
  return { path: join(folder(), name), remove: () => removeStateFile(folder(), name) };
}

/** Removes link files of hosts that were killed. Their codes were only in memory, so the links no longer work. */
export function removeLinkFiles(): void {
  inStateFolder(folder(), (opened) => {
    for (const name of opened.names()) if (LINK_FILE.test(name)) opened.remove(name);
  });
  // Earlier versions wrote the file to this path.
  removeStateFile(join(folder(), "..", "run"), "page.html");
}
