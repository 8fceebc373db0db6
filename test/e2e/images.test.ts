import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ModelServer, type Script, startModelServer, text, toolCall } from "../model-server.ts";
import { decode, exif, jpeg, noise, png, quarters, withExif } from "../plugins/images/pictures.ts";
import { type Scratch, scratch } from "./scorel.ts";

/** Runs tests in a home with a scripted model, which accepts images if requested. */
async function withModel(
  input: string,
  script: Script,
  work: (s: Scratch, server: ModelServer) => Promise<void>,
): Promise<void> {
  using s = scratch();
  await using server = await startModelServer(script);
  s.useModel(server.baseUrl, `input = ${input}\n`);
  await work(s, server);
}
const SEES = '["text", "image"]';
const BLIND = '["text"]';
const none = ["--preset", "none"];
const small = png(8, 4, quarters(8, 4));

type Block = { type: string; text?: string; image_url?: { url: string } };
const asked = (server: ModelServer, index = 0): Block[] | string =>
  server.requests[index]?.body.messages.at(-1).content as Block[] | string;
/** The bytes of the images in the last message of a request. */
const imagesOf = (content: Block[] | string) =>
  (content as Block[])
    .flatMap(({ image_url }) => image_url ?? [])
    .map(({ url }) => {
      const [, mimeType, data = ""] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
      return { mimeType, bytes: Buffer.from(data, "base64") };
    });
const put = (s: Scratch, name: string, bytes: Buffer) => writeFileSync(join(s.project, name), bytes);

describe("--image", () => {
  it("sends a large photograph upright and reduced, and a small picture unchanged", () =>
    withModel(SEES, [text("ok")], async (s, server) => {
      put(s, "photo.jpg", withExif(jpeg(4000, 3000, noise(), 100), exif(6)));
      put(s, "small.png", small);
      const { code, stderr } = await s.run([...none, "-p", "Look", "--image", "photo.jpg", "--image", "small.png"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const [photo, same] = imagesOf(asked(server)) as [{ mimeType: string; bytes: Buffer }, { bytes: Buffer }];
      const { width, height } = decode(photo.bytes);
      expect([photo.mimeType, width, height, photo.bytes.length * 1.34 < 5_000_000]).toEqual([
        "image/jpeg",
        1500,
        2000,
        true,
      ]);
      expect(same.bytes.equals(small)).toBe(true);
      expect((asked(server) as Block[]).map(({ type }) => type)).toEqual(["text", "text", "image_url", "image_url"]);
    }));

  it("replaces an image of an unsupported type, or a damaged one, by text, and tells the user", () =>
    withModel(SEES, [text("ok")], async (s, server) => {
      put(s, "a.heic", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0", "latin1"));
      put(s, "cut.png", small.subarray(0, 50));
      const { code, stderr } = await s.run([...none, "-p", "Look", "--image", "a.heic", "--image", "cut.png"]);
      const sent = (asked(server) as Block[]).map(({ text }) => text);
      expect(sent).toEqual([
        "Look",
        expect.stringMatching(/^\[image 1 of 2: image\/heic, 16 bytes\. Not shown, because images of this kind/),
        expect.stringMatching(/^\[image 2 of 2: image\/png, 50 bytes\. Not shown, because the file is damaged/),
      ]);
      expect([code, stderr.match(/^warning: /gm)?.length, stderr.includes("image/heic")]).toEqual([0, 2, true]);
    }));

  it("replaces images by text for a model without image support, and tells the user once", () =>
    withModel(BLIND, [text("ok")], async (s, server) => {
      put(s, "a.png", small);
      const { stderr } = await s.run([...none, "-p", "Look", "--image", "a.png", "--image", "a.png"]);
      const { stdout: shown } = await s.run(["session", "show", basename(s.logs()[0] ?? "", ".jsonl")]);
      const reason = "not shown, because the model scripted/scripted-model does not support images";
      expect(shown).toContain(`Look\n[image 1 of 2: ${reason}]\n[image 2 of 2: ${reason}]\n`);
      expect(JSON.stringify(asked(server))).toContain(
        `[image 2 of 2: image/png, 8x4, ${small.length} bytes. Not shown, because the model scripted/scripted-model does not support images.`,
      );
      expect(stderr).toMatch(
        /^warning: The model scripted\/scripted-model does not support images, [^\n]*input = \["text", "image"\] in its table[^\n]*--model[^\n]*\n$/,
      );
    }));

  it("sends SVG as text", () =>
    withModel(BLIND, [text("ok")], async (s, server) => {
      s.file("a.svg", '<?xml version="1.0"?>\n<svg></svg>\n');
      await s.run([...none, "-p", "Look", "--image", "a.svg"]);
      expect(asked(server)).toBe('Look\n\n```a.svg\n<?xml version="1.0"?>\n<svg></svg>\n```');
    }));
});

describe("Read", () => {
  it("shows the model an image that was reduced", () =>
    withModel(SEES, [toolCall("Read", { file_path: "wide.png" }), text("ok")], async (s, server) => {
      put(s, "wide.png", png(3000, 300, quarters(3000, 300)));
      const { code, stdout } = await s.run(["-p", "Look at wide.png"]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "ok\n" });
      const [image] = imagesOf(asked(server, 1));
      expect(image?.mimeType).toBe("image/png");
      const { width, height, at } = decode(image?.bytes ?? Buffer.alloc(0));
      expect([width, height, at(10, 10)]).toEqual([2000, 200, [250, 0, 0, 255]]);
    }));

  it("tells the user once when the model does not support images", () =>
    withModel(
      BLIND,
      [[toolCall("Read", { file_path: "a.png" }), toolCall("Read", { file_path: "a.png" })], text("ok")],
      async (s, server) => {
        put(s, "a.png", small);
        const { stderr } = await s.run(["-p", "Look at a.png"]);
        expect(asked(server, 1)).toContain("does not support images");
        expect(stderr.match(/does not support images/g)).toHaveLength(1);
      },
    ));
});
