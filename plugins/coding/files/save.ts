import { codeOf } from "@scorel/kernel";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import { accessError } from "../result.ts";
import type { Place } from "./paths.ts";

/** Replaces a file; with `create`, it may be missing, as may its folders. Throws FILE_MOVED if a link is in its path now. */
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
