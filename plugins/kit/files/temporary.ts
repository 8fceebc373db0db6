import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";

/** Makes a folder for temporary files that only this user may enter, and answers its real path. Throws TEMPORARY_FOLDER. */
export function makeTemporaryFolder(prefix: string): string {
  const path = tmpdir();
  try {
    return mkdtempSync(join(realpathSync(path), prefix));
  } catch (thrown) {
    throw errors.TEMPORARY_FOLDER({ path, reason: codeOf(thrown) }, { cause: thrown });
  }
}
