import { expect, it } from "vitest";
import { read } from "../docs/source.ts";
import { takePictures, terminalPictures } from "../docs/terminal-stage.ts";
import { describeWith } from "../optional.ts";

describeWith("script", "the pictures of the terminal", () => {
  it("show its current screens (`npm run docs -- guide` renews them)", async () => {
    const pictures = await takePictures();
    expect([...pictures.keys()].sort()).toEqual([...terminalPictures].sort());
    for (const [file, picture] of pictures) expect({ file, picture: read(file) }).toEqual({ file, picture });
  });

  it("are small, and name nothing of the machine that they were taken on", () => {
    // Without the second answer to a question, `2 s`, which looks like a duration.
    const pictures = terminalPictures.map((file) => read(file).replace(">2 s<", ""));
    expect(pictures.filter((picture) => picture.length > 12_000)).toEqual([]);
    expect(pictures.filter((picture) => /\/tmp|scorel-e2e|\d (?:ms|s)\b/.test(picture))).toEqual([]);
  });
});
