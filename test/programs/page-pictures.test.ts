import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { drawScreens, fileOf, guidePictures, screens } from "../docs/page-stage.ts";
import { root } from "../docs/source.ts";
import { itWith } from "../optional.ts";

const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

itWith("chromium", "the guide of the page shows screens that can still be reached, in their sizes", async () => {
  const guide = readFileSync(join(root, "docs/guide/web.md"), "utf8");
  const shown = [...guide.matchAll(/\]\(\.\.\/(page-\S+\.png)\)/g)].map(([, file]) => file);
  expect(shown).toEqual(guidePictures.map((picture) => fileOf(picture.screen, picture)));
  for (const picture of guidePictures) {
    const drawn = await drawScreens(picture);
    expect([...drawn.keys()]).toEqual([...screens]);
    const kept = readFileSync(join(root, "docs", fileOf(picture.screen, picture)));
    expect(sizeOf(kept)).toEqual(sizeOf(drawn.get(picture.screen) as Buffer));
  }
});
