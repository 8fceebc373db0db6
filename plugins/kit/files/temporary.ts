import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { reasonOf } from "../values/coded-error.ts";

/** Creates a temporary folder that only this user can enter, and returns its real path. Throws TEMPORARY_FOLDER. */
export function makeTemporaryFolder(prefix: string): string {
  const path = tmpdir();
  try {
    return mkdtempSync(join(realpathSync(path), prefix));
  } catch (thrown) {
    throw errors.TEMPORARY_FOLDER({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}
