import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readImage } from "../../plugins/print/attachments.ts";
import { temporaryFolder } from "../temporary-folder.ts";

it.each([100_000_000, 5_000_000_000])("an image of %d bytes is refused before it is read", (size) => {
  const folder = temporaryFolder("attached-");
  writeFileSync(join(folder, "large.png"), "");
  truncateSync(join(folder, "large.png"), size);
  expect(() => readImage("large.png", folder)).toThrow(
    expect.objectContaining({
      code: "PRINT_ATTACHMENT",
      message: expect.stringContaining(`it has ${size} bytes, more than 67108864`),
    }),
  );
});
