import { codeOf } from "@scorel/kernel";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { accessError } from "../result.ts";
import type { Place } from "./paths.ts";

/**
 * Replaces a file. With `create`, the file and its folders may be missing. Throws FILE_MOVED if a part of its path was
 * replaced after the path was resolved.
 */
export async function saveFile(
  place: Place,
  bytes: Buffer,
  { files }: Pick<Environment, "files">,
  create: boolean,
): Promise<void> {
  try {
    await files.write(place.path, bytes, { create });
  } catch (thrown) {
    if (codeOf(thrown) !== "ESTALE") throw accessError(thrown, place.shown);
    const { path = place.path } = thrown as { path?: string };
    throw errors.FILE_MOVED({ path: String(path) }, { cause: thrown });
  }
}
