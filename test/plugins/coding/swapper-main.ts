import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * Simulates a background command that endlessly replaces a folder by a link to a protected folder, and puts it back.
 */
const [dir = ""] = process.argv.slice(2);
const [folder, aside] = [join(dir, "folder"), join(dir, "aside")];

function swap(): void {
  renameSync(folder, aside);
  symlinkSync(".scorel", folder);
  rmSync(folder);
  renameSync(aside, folder);
}

/** Creates the folder again; needed when another process has created it meanwhile or is writing into it. */
function recreate(): void {
  for (const path of [folder, aside]) rmSync(path, { recursive: true, force: true, maxRetries: 20 });
  mkdirSync(folder, { recursive: true });
}

console.log("ready");
for (;;)
  for (const work of [swap, recreate])
    try {
      work();
      break;
    } catch {
      // The next work repairs it.
    }
