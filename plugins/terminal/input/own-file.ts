import { closeSync, readFileSync } from "node:fs";
import { openRegular } from "@scorel/kit/files/open";
import { codeOf } from "@scorel/kit/values/coded-error";

/** The text of a regular file; undefined if there is none, or something else than a file. Throws for a symbolic link. */
export function readOwnFile(path: string): string | undefined {
  try {
    const file = openRegular(path);
    if (!file) return undefined;
    try {
      return readFileSync(file.fd, "utf8");
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
