import images from "@scorel/images";
import type { ImagesService, ShownImage } from "@scorel/images/contract";
import type { ImageBlock } from "@scorel/messages/contract";
import type { ModelService } from "@scorel/model/contract";
import { describe, expect, it } from "vitest";
import { type TestKernel, testKernel } from "../../harness.ts";
import {
  COLOURS,
  type Decoded,
  decode,
  exif,
  gif,
  jpeg,
  noise,
  type Pixel,
  png,
  pngChunk,
  pngOf,
  quarters,
  webp,
  withExif,
} from "./pictures.ts";

interface Gallery extends AsyncDisposable {
  images: ImagesService;
  t: TestKernel;
  show(bytes: Uint8Array): Promise<ShownImage>;
}

/** The plugin in a session whose model accepts these inputs. */
async function gallery(
  config: Record<string, unknown> = {},
  input = ["text", "image"],
  more: Partial<ModelService> = {},
): Promise<Gallery> {
  const model = { current: () => ({ provider: "test", id: "seer", input }), ...more } as unknown as ModelService;
  const t = await testKernel([{ plugin: images, config }], { services: { model } });
  const service = t.kernel.find("images") as ImagesService;
  return {
    images: service,
    t,
    show: (bytes) => service.show(bytes, "a.file"),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const textOf = ({ content }: ShownImage) => content.map((block) => (block.type === "text" ? block.text : "")).join("");
const blockOf = ({ content }: ShownImage) => content.find((block) => block.type === "image") as ImageBlock;
const bytesOf = (shown: ShownImage) => Buffer.from(blockOf(shown).data, "base64");
const decoded = (shown: ShownImage) => decode(bytesOf(shown));

/** The name of the colour in the middle of each quarter. */
function corners({ width, height, at }: Decoded): Record<string, string> {
  const places = { "top left": [1, 1], "top right": [3, 1], "bottom left": [1, 3], "bottom right": [3, 3] } as const;
  const named = Object.entries(places).map(([place, [x, y]]) => [
    place,
    nearest(at(Math.floor((width * x) / 4), Math.floor((height * y) / 4))),
  ]);
  return Object.fromEntries(named);
}

/** The name of the nearest colour, since JPEG changes colours a little. */
function nearest(pixel: Pixel): string {
  const far = (colour: Pixel) =>
    colour.reduce((sum, channel, index) => sum + Math.abs(channel - (pixel[index] ?? 0)), 0);
  const sorted = Object.entries(COLOURS).sort(([, a], [, b]) => far(a) - far(b));
  const [[name, colour]] = sorted as [[string, Pixel]];
  return far(colour) < 60 ? name : `none: ${pixel}`;
}

describe("an image that is upright and small", () => {
  it.each([
    ["PNG", png(40, 20, quarters(40, 20)), "image/png"],
    ["JPEG", jpeg(40, 20, quarters(40, 20)), "image/jpeg"],
    ["JPEG that says it is upright", withExif(jpeg(40, 20, quarters(40, 20)), exif(1)), "image/jpeg"],
    ["WebP", webp(40, 20, quarters(40, 20)), "image/webp"],
  ])("is passed on byte for byte: %s", async (_, bytes, mimeType) => {
    await using g = await gallery();
    expect(await g.show(bytes)).toEqual({
      content: [
        { type: "text", text: `[a.file: ${mimeType}, 40x20, ${bytes.length} bytes]` },
        { type: "image", data: bytes.toString("base64"), mimeType },
      ],
      shown: true,
      mimeType,
      bytes: bytes.length,
      width: 40,
      height: 20,
    });
  });
});

describe("a rotated image", () => {
  /** For each orientation, the stored quarters that are shown in the four places, in the order of COLOURS. */
  const upright: [orientation: number, from: string[]][] = [
    [2, ["top right", "top left", "bottom right", "bottom left"]],
    [3, ["bottom right", "bottom left", "top right", "top left"]],
    [4, ["bottom left", "bottom right", "top left", "top right"]],
    [5, ["top left", "bottom left", "top right", "bottom right"]],
    [6, ["bottom left", "top left", "bottom right", "top right"]],
    [7, ["bottom right", "top right", "bottom left", "top left"]],
    [8, ["top right", "bottom right", "top left", "bottom left"]],
  ];
  const expected = (from: readonly string[]) =>
    Object.fromEntries(Object.keys(COLOURS).map((place, index) => [place, from[index]]));

  it.each(upright)("is rotated upright: EXIF %i", async (orientation, from) => {
    await using g = await gallery();
    const shown = await g.show(withExif(jpeg(64, 32, quarters(64, 32)), exif(orientation)));
    const { width, height } = decoded(shown);
    const size = orientation >= 5 ? [32, 64] : [64, 32];
    expect([[width, height], [shown.width, shown.height], corners(decoded(shown))]).toEqual([
      size,
      size,
      expected(from),
    ]);
    expect(textOf(shown)).toContain("turned upright");
  });

  it("is rotated for either byte order of EXIF, in PNG and in WebP", async () => {
    await using g = await gallery();
    const stored = webp(64, 32, quarters(64, 32));
    const files = [
      withExif(jpeg(64, 32, quarters(64, 32)), exif(6, "II")),
      png(64, 32, quarters(64, 32), [pngChunk("eXIf", exif(6))]),
      extended(stored, 64, 32, exif(6, "II")),
    ];
    for (const file of files) expect(corners(decoded(await g.show(file)))).toEqual(expected(upright[4]?.[1] ?? []));
  });

  it("is left unchanged if EXIF is invalid", async () => {
    await using g = await gallery();
    const still = jpeg(64, 32, quarters(64, 32));
    for (const data of [exif(9), exif(6).subarray(0, 12), Buffer.from("nonsense")]) {
      const file = withExif(still, data);
      expect(bytesOf(await g.show(file)).equals(file)).toBe(true);
    }
  });
});

describe("an image that is too large", () => {
  it("is scaled to the longest side, keeps its aspect ratio, and states the factor", async () => {
    await using g = await gallery();
    const file = jpeg(3000, 1500, quarters(3000, 1500));
    const shown = await g.show(file);
    const { width, height } = decoded(shown);
    expect([width, height, blockOf(shown).mimeType, corners(decoded(shown))]).toEqual([
      2000,
      1000,
      "image/jpeg",
      Object.fromEntries(Object.keys(COLOURS).map((place) => [place, place])),
    ]);
    expect(textOf(shown)).toBe(
      `[a.file: image/jpeg, 2000x1000, ${bytesOf(shown).length} bytes; made from image/jpeg, 3000x1500, ${file.length} bytes; multiply coordinates by 1.50]`,
    );
  });

  it("stays a PNG with its transparency if that fits", async () => {
    await using g = await gallery({ maxSide: 100 });
    const clear: Pixel = [250, 0, 0, 0];
    const file = png(400, 200, (x, y) => (x < 200 ? clear : quarters(400, 200)(x, y)));
    const shown = await g.show(file);
    const { width, height, at } = decoded(shown);
    expect([blockOf(shown).mimeType, width, height, at(10, 10)[3], nearest(at(90, 40))]).toEqual([
      "image/png",
      100,
      50,
      0,
      "bottom right",
    ]);
  });

  it("becomes JPEG on white when its PNG does not fit", async () => {
    await using g = await gallery({ maxBytes: 100_000 });
    const loud = noise();
    const shown = await g.show(png(400, 400, (x, y) => (x < 200 ? [0, 0, 0, 0] : loud(x, y))));
    const { at } = decoded(shown);
    expect([blockOf(shown).mimeType, blockOf(shown).data.length <= 100_000]).toEqual(["image/jpeg", true]);
    expect(Math.min(...at(20, 20).slice(0, 3))).toBeGreaterThan(245);
  });

  it.each([
    ["JPEG", () => jpeg(1200, 900, noise(), 100)],
    ["PNG", () => png(1200, 900, noise())],
    ["WebP", () => webp(1200, 900, noise())],
  ])("loses quality first and then pixels, until its base64 fits: %s", async (_, make) => {
    await using g = await gallery({ maxBytes: 60_000 });
    const shown = await g.show(make());
    const { width, height } = decoded(shown);
    expect(blockOf(shown).data.length).toBeLessThanOrEqual(60_000);
    expect([width < 1200, Math.abs(width / height - 4 / 3) < 0.05]).toEqual([true, true]);
  });

  it("fits into the smallest possible limits with any aspect ratio", async () => {
    await using g = await gallery({ maxBytes: 10_000, maxSide: 64 });
    for (const [width, height] of [
      [300, 300],
      [4000, 1],
      [1, 4000],
    ] as const)
      expect(blockOf(await g.show(png(width, height, noise()))).data.length).toBeLessThanOrEqual(10_000);
  });

  it("is converted without blocking the process", async () => {
    await using g = await gallery();
    const file = jpeg(4000, 3000, quarters(4000, 3000));
    let longest = 0;
    let last = performance.now();
    const clock = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await g.show(file);
    clearInterval(clock);
    // Decoding and scaling alone take half a second, so they must not run in this thread.
    expect(longest).toBeLessThan(250);
  });
});

describe("an animated image", () => {
  it("is sent as its first frame in PNG, which every provider supports", async () => {
    await using g = await gallery();
    const shown = await g.show(gif(20, 10, 3));
    expect([blockOf(shown).mimeType, nearest(decoded(shown).at(5, 5)), decoded(shown).width]).toEqual([
      "image/png",
      "top left",
      20,
    ]);
    expect(textOf(shown)).toContain("the first of 3 frames");
  });

  it("is converted to PNG even if the GIF has one frame", async () => {
    await using g = await gallery();
    const shown = await g.show(gif(20, 10, 1));
    expect([blockOf(shown).mimeType, textOf(shown).includes("frames")]).toEqual(["image/png", false]);
  });
});

describe("an image that cannot be shown is described in text", () => {
  const whole = jpeg(200, 100, quarters(200, 100));
  const picture = png(200, 100, quarters(200, 100));
  const moved = gif(20, 10, 2);
  const flipped = Buffer.from(picture);
  flipped[60] = (flipped[60] ?? 0) ^ 1;

  it.each([
    ["a cut JPEG", whole.subarray(0, whole.length - 40), "the file is damaged: it ends too early"],
    ["a JPEG cut in its header", whole.subarray(0, 30), "the file is damaged: it ends too early"],
    ["a cut PNG", picture.subarray(0, picture.length - 20), "the file is damaged: it ends too early"],
    ["a PNG with a wrong byte", flipped, "the file is damaged: a checksum in it is wrong"],
    ["a cut GIF", moved.subarray(0, moved.length - 3), "the file is damaged: it ends too early"],
    ["a cut WebP", webp(90, 90, noise()).subarray(0, 900), "the file is damaged: it ends too early"],
    ["a JPEG of a marker alone", Buffer.from([0xff, 0xd8, 0xff]), "the file is damaged: it ends too early"],
    ["a PNG without a size", pngOf(0, 0, []), "the file is damaged: its header names no size"],
    [
      "a PNG whose pixels are nonsense",
      pngOf(3000, 3000, [pngChunk("IDAT", Buffer.alloc(99, 7))]),
      "could not be decoded",
    ],
    [
      "a PNG that names a second, small size",
      pngOf(50_000, 50_000, [pngOf(9, 9, []).subarray(8, 33)]),
      "it has more than 52 million pixels",
    ],
    [
      "a PNG of too many pixels",
      pngOf(50_000, 50_000, [pngChunk("IDAT", Buffer.alloc(9))]),
      "it has more than 52 million pixels",
    ],
    ["HEIC", Buffer.from("\0\0\0\x18ftypheic\0\0\0\0", "latin1"), "images of this kind cannot be shown"],
    ["AVIF", Buffer.from("\0\0\0\x18ftypavif\0\0\0\0", "latin1"), "images of this kind cannot be shown"],
    ["TIFF", Buffer.from("II*\0\x08\0\0\0", "latin1"), "images of this kind cannot be shown"],
    ["BMP", Buffer.from(`BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0`, "latin1"), "images of this kind cannot be shown"],
    ["nothing", Buffer.alloc(0), "images of this kind cannot be shown"],
  ])("%s", async (_, bytes, reason) => {
    await using g = await gallery();
    const shown = await g.show(bytes);
    expect(shown).toMatchObject({ shown: false, bytes: bytes.length, content: [{ type: "text" }] });
    expect(textOf(shown)).toContain(`${bytes.length} bytes. Not shown, because `);
    expect(textOf(shown)).toContain(reason);
  });

  it("states its type, its size, the reason and what to do", async () => {
    await using g = await gallery();
    expect(textOf(await g.show(pngOf(9000, 6000, [pngChunk("IDAT", Buffer.alloc(9))])))).toBe(
      "[a.file: image/png, 9000x6000, 66 bytes. Not shown, because it has more than 52 million pixels. Make a smaller version, or crop it (such as: magick in.jpg -crop 2000x2000+0+0 out.jpg), and look at that.]",
    );
  });

  it("reports an image that takes too long", async () => {
    await using g = await gallery({ timeout: 0.001 });
    expect(textOf(await g.show(jpeg(3000, 2000, noise())))).toContain("could not be converted within 0.001 seconds");
  });

  it("describes all images for a model without image support, and tells the user once", async () => {
    await using g = await gallery({}, ["text"]);
    const shown = await g.show(picture);
    await g.show(whole);
    expect([shown.shown, textOf(shown)]).toEqual([
      false,
      expect.stringContaining(
        `200x100, ${picture.length} bytes. Not shown, because the model test/seer does not support images.`,
      ),
    ]);
    expect(g.t.kernel.failures).toEqual([
      {
        plugin: "images",
        where: "",
        code: "IMAGE_UNSEEN",
        message:
          "The model test/seer does not support images, so it receives a line of text in place of each image. Choose another model with --model; `scorel model list` shows which support images.",
      },
    ]);
  });

  it("tells the user how to describe a model of their own that can read images", async () => {
    await using g = await gallery({}, ["text"], { isDescribed: () => true });
    await g.show(picture);
    expect(g.t.kernel.failures.map(({ message }) => message)).toEqual([
      'The model test/seer does not support images, so it receives a line of text in place of each image. If it can read images, write input = ["text", "image"] in its table in config.toml. If not, choose another model with --model; `scorel model list` shows which support images.',
    ]);
  });
});

describe("the blocks of a message", () => {
  const small = png(4, 4, quarters(4, 4));
  const block = (bytes: Buffer, mimeType = "image/png"): ImageBlock => ({
    type: "image",
    data: bytes.toString("base64"),
    mimeType,
  });

  it("stay unchanged, except for a wrong media type", async () => {
    await using g = await gallery();
    const text = { type: "text" as const, text: "Look." };
    expect(await g.images.fit([text])).toEqual([text]);
    expect(await g.images.fit([text, block(small, "image/jpeg")])).toEqual([text, block(small)]);
  });

  it("get a text before a converted image and instead of one that cannot be shown, and the user is told", async () => {
    await using g = await gallery();
    const fitted = await g.images.fit([block(gif(20, 10, 2), "image/gif"), block(small.subarray(0, 40)), block(small)]);
    expect(fitted).toEqual([
      { type: "text", text: expect.stringMatching(/^\[image 1 of 3: image\/png, 20x10, .* the first of 2 frames\]$/) },
      { type: "image", data: expect.any(String), mimeType: "image/png" },
      {
        type: "text",
        text: expect.stringMatching(/^\[image 2 of 3: image\/png, 40 bytes\. Not shown, because the file is damaged/),
        attachment: true,
        forPeople: "[image 2 of 3: not shown, because the file is damaged: it ends too early]",
      },
      block(small),
    ]);
    expect(g.t.kernel.failures.map(({ code }) => code)).toEqual(["IMAGE_NOT_SHOWN"]);
  });

  it("are abandoned immediately when aborted", async () => {
    await using g = await gallery();
    const control = new AbortController();
    const work = g.images.fit([block(jpeg(3000, 2000, noise()))], control.signal);
    control.abort(new Error("enough"));
    await expect(work).rejects.toThrow("enough");
    expect((await g.show(small)).shown).toBe(true);
  });

  it("are abandoned immediately when aborted while another is changed", async () => {
    await using g = await gallery({ maxSide: 64 });
    const control = new AbortController();
    const ended: string[] = [];
    const first = g.show(jpeg(100, 100, noise())).then(() => ended.push("first"));
    const second = g.images.fit([block(jpeg(100, 100, noise()))], control.signal).catch(() => ended.push("second"));
    control.abort(new Error("enough"));
    await Promise.all([first, second]);
    expect(ended).toEqual(["second", "first"]);
  });
});

/** A WebP file with EXIF data: the chunks of a plain file, after a header that announces the data. */
function extended(plain: Buffer, width: number, height: number, data: Buffer): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(type, "latin1");
    head.writeUInt32LE(body.length, 4);
    return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
  };
  const flags = Buffer.alloc(10);
  flags[0] = 0x08;
  flags.writeUIntLE(width - 1, 4, 3);
  flags.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([Buffer.from("WEBP"), chunk("VP8X", flags), plain.subarray(12), chunk("EXIF", data)]);
  return chunk("RIFF", body);
}
