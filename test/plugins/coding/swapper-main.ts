import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** A command left in the background: now the folder is itself, now a link to where nothing may be written. */
const [dir = ""] = process.argv.slice(2);
const [folder, aside] = [join(dir, "folder"), join(dir, "aside")];

function swap(): void {
  renameSync(folder, aside);
  symlinkSync(".scorel", folder);
  rmSync(folder);
  renameSync(aside, folder);
}

/** Somebody has made the folder anew meanwhile, or is just writing into it. */
function beginAgain(): void {
  for (const path of [folder, aside]) rmSync(path, { recursive: true, force: true, maxRetries: 20 });
  mkdirSync(folder, { recursive: true });
}

console.log("ready");
for (;;)
  for (const work of [swap, beginAgain])
    try {
      work();
      break;
    } catch {
      // The next one puts it right.
    }
