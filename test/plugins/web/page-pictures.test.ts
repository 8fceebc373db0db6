import { describe, expect, it } from "vitest";
import { withoutPictureMarks } from "../../../plugins/web/page/chat/content.ts";
import {
  MOST_PICTURE_BYTES,
  MOST_TEXT_BYTES,
  Pictures,
  quoted,
  takeFile,
} from "../../../plugins/web/page/chat/pictures.ts";
import { contentOf } from "../../../plugins/web/page/chat/send.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
const take = (bytes: Uint8Array<ArrayBuffer> | string, name = "a file") => takeFile(new File([bytes], name));

describe("a file for a message", () => {
  it("is a picture by its bytes, whatever it is called", async () => {
    const taken = await take(Uint8Array.from(PNG), "notes.txt");
    const picture = { id: expect.any(Number), name: "notes.txt", mimeType: "image/png", bytes: PNG.length };
    expect(taken).toEqual({ is: "picture", picture: { ...picture, data: PNG.toString("base64") } });
  });

  it("is text under its name, in a fence that nothing in it closes", async () => {
    expect(await take("a\r\n````\nb\n", "x\ny.md")).toEqual({
      is: "text",
      text: "x y.md:\n`````\na\n````\nb\n`````\n",
    });
    expect(quoted("a", "b")).toBe("a:\n```\nb\n```\n");
  });

  it("is refused when it is neither, or too large", async () => {
    expect(await take(new Uint8Array([0, 1]))).toEqual({ is: "refused", reason: "unknown" });
    expect(await take(new Uint8Array([0xff, 0xfe, 0xfd]))).toEqual({ is: "refused", reason: "unknown" });
    expect(await take("x".repeat(MOST_TEXT_BYTES + 1))).toEqual({ is: "refused", reason: "largeText" });
    expect(await take(new Uint8Array(MOST_PICTURE_BYTES + 1))).toEqual({ is: "refused", reason: "large" });
  });

  it("is refused when the pictures of the message are too large together", () => {
    const pictures = new Pictures();
    const half = { name: "a", mimeType: "image/png", data: "", bytes: MOST_PICTURE_BYTES / 2 };
    const added = [1, 2, 3].map((id) => pictures.add({ ...half, id }));
    expect(added).toEqual([true, true, false]);
  });

  it("goes beside the text, or without any", () => {
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    expect(contentOf("a", [])).toBe("a");
    expect(contentOf("a", [image])).toEqual([{ type: "text", text: "a" }, image]);
    expect(contentOf(" ", [image])).toEqual([image]);
  });
});

it("the marks of pictures at the end of a message are not shown, in linear time for any text", () => {
  const blanks = " ".repeat(2 ** 19);
  const texts = ["see\n[image][image]", "[image]", "no [image] here", `a${blanks}[image]`, `a${blanks}[image] b`];
  expect(texts.map(withoutPictureMarks)).toEqual(["see", "", "no [image] here", "a", `a${blanks}[image] b`]);
});
