import * as fs from "node:fs";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { errors } from "./errors.ts";

/** Writes the bytes of a log to disk, so that they survive a power loss. Rejects with STORE_SYNC. */
export function syncData(fd: number, path: string): Promise<void> {
  return settled((done) => fs.fdatasync(fd, done), path);
}

/** Writes the names of new files in a directory to disk, so that they survive a power loss. Rejects with STORE_SYNC. */
export async function syncDirectory(path: string): Promise<void> {
  // fs.promises would load Node's web streams, which would slow down the first turn of a session.
  const fd = fs.openSync(path, "r");
  try {
    await settled((done) => fs.fsync(fd, done), path);
  } finally {
    fs.closeSync(fd);
  }
}

function settled(start: (done: (error: Error | null) => void) => void, path: string): Promise<void> {
  return new Promise((resolve, reject) =>
    start((error) =>
      error ? reject(errors.STORE_SYNC({ path, reason: reasonOf(error) }, { cause: error })) : resolve(),
    ),
  );
}
