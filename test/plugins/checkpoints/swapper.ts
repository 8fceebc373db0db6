import { renameSync, rmSync, symlinkSync } from "node:fs";

/** Puts a link in a folder's place and the folder back again, without end; what comes in between is removed. */
const [folder = "", outside = ""] = process.argv.slice(2);
const real = `${folder}.real`;
console.log("swapping");
for (;;) {
  renameSync(folder, real);
  while (!done(() => symlinkSync(outside, folder))) done(remove);
  while (!done(() => renameSync(real, folder))) done(remove);
}

function remove(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Somebody else may make the folder, and files in it, in the very moment in which it is not there. */
function done(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
