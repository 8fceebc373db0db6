import * as fs from "node:fs";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Makes the bytes of a log survive a power loss; rejects with STORE_SYNC. */
export function syncData(fd: number, path: string): Promise<void> {
  return settled((done) => fs.fdatasync(fd, done), path);
}

/** Makes the names of new files in a directory survive a power loss; rejects with STORE_SYNC. */
export async function syncDirectory(path: string): Promise<void> {
  // Not fs.promises: its file handles load the web streams, at the first turn of a session.
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
      error ? reject(errors.STORE_SYNC({ path, reason: codeOf(error) }, { cause: error })) : resolve(),
    ),
  );
}
