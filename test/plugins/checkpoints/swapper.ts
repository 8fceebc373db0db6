import { renameSync, rmSync, symlinkSync } from "node:fs";

/**
 * Endlessly replaces a folder by a link and puts the folder back; removes whatever is created in between. Arguments:
 * folder, target of the link.
 */
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

/** Whether the work succeeded. Another process may create the folder, with files, at the moment when it is missing. */
function done(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
