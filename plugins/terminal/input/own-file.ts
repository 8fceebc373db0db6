import { closeSync, readFileSync } from "node:fs";
import { openRegular } from "@scorel/kit/files/open";
import { codeOf } from "@scorel/kit/values/coded-error";

/** The bytes of a regular file; undefined if there is none, or something else than a file. Throws for a symbolic link. */
export function readOwnBytes(path: string): Buffer | undefined {
  try {
    const file = openRegular(path);
    if (!file) return undefined;
    try {
      return readFileSync(file.fd);
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** The text of a file, by the rules of `readOwnBytes`. */
export function readOwnFile(path: string): string | undefined {
  return readOwnBytes(path)?.toString("utf8");
}
