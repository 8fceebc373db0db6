import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { playDemo } from "./demo-stage.ts";
import { playEditors } from "./editors-stage.ts";
import { playExtensions } from "./extension-stage.ts";
import { generate } from "./generate.ts";
import { playGuide } from "./guide-stage.ts";
import { playMcp } from "./mcp-stage.ts";
import { playPresets } from "./presets-stage.ts";
import { optionList } from "./session-options.ts";
import { pictureFile } from "./session-picture.ts";
import { root } from "./source.ts";
import { playSubagents } from "./subagents-stage.ts";
import { takePictures } from "./terminal-stage.ts";
import { playTimeTravel } from "./time-travel-stage.ts";
import { playTrust } from "./trust-stage.ts";
import { playWorktrees } from "./worktrees-stage.ts";

/**
 * `npm run docs` writes docs/reference and the generated parts of the plugins' READMEs. `npm run docs -- guide` also
 * runs the guides and the demonstration with the built command, and writes their outputs. `npm run docs -- page` draws
 * the pictures of the page's guide in Chromium. `-- page <folder>` draws all screens for review: on a desktop and a
 * phone, light and dark, in both languages.
 */
const files = await generate();
if (process.argv.includes("guide")) {
  files.set("docs/guide/first-session.md", await playGuide());
  files.set("docs/guide/time-travel.md", await playTimeTravel());
  files.set("docs/guide/write-an-extension.md", await playExtensions());
  files.set("docs/guide/trust.md", await playTrust());
  files.set("docs/guide/presets.md", await playPresets());
  files.set("docs/guide/mcp.md", await playMcp());
  files.set("docs/guide/editors.md", await playEditors());
  files.set("docs/guide/subagents.md", await playSubagents());
  files.set("docs/guide/worktrees.md", await playWorktrees());
  files.set(pictureFile, await playDemo());
  for (const [file, picture] of await takePictures()) files.set(file, picture);
}
if (process.argv.includes("page")) await drawPage(process.argv.at(-1) as string);
const reference = join(root, "docs/reference");
mkdirSync(reference, { recursive: true });
const known = textOf(optionList);
const outdated = readdirSync(reference)
  .map((name) => `docs/reference/${name}`)
  .filter((path) => !files.has(path) && textOf(path)?.startsWith("<!-- Generated "));
const changed = [...files].filter(([path, text]) => textOf(path) !== text);
for (const path of outdated) rmSync(join(root, path));
for (const [path, text] of changed) writeFileSync(join(root, path), text);
for (const path of outdated) console.log(`removed ${path}`);
for (const [path] of changed) console.log(`wrote ${path}`);
if (outdated.length + changed.length === 0) console.log("nothing changed");
// The help texts came from plugins that were loaded with the old table.
if (files.get(optionList) !== known) console.log("The options of sessions have changed: run `npm run docs` again.");
process.exit();

/** Draws all screens into a folder; for `page`, draws the pictures in the guide. */
async function drawPage(folder: string): Promise<void> {
  const { drawScreens, everyLook, fileOf, guidePictures } = await import("./page-stage.ts");
  if (folder === "page") {
    for (const picture of guidePictures) {
      const drawn = (await drawScreens(picture)).get(picture.screen) as Buffer;
      writeFileSync(join(root, "docs", fileOf(picture.screen, picture)), drawn);
    }
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const look of everyLook)
    for (const [screen, png] of await drawScreens(look)) writeFileSync(join(folder, fileOf(screen, look)), png);
}

/** The text of a file of the repository, if it is there. */
function textOf(path: string): string | undefined {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}
