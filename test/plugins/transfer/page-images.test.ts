import { expect, it } from "vitest";
import { pictures } from "../../../plugins/transfer/export/html-parts.ts";

const image = (data: string) => pictures([{ type: "image", mimeType: "image/png", data }]);
const note = '<p class="marker">[an image that cannot be shown]</p>\n';

it("shows an image whose data has line breaks, and says where data is no image", () => {
  expect(image("iVBO\nRw0K\n")).toBe('<p class="picture"><img alt="" src="data:image/png;base64,iVBORw0K"></p>\n');
  expect(image('iVBO" onload="x')).toBe(note);
});

it("takes linear time for data of any form", () => {
  const spaces = " ".repeat(2 ** 20);
  expect([image(`${spaces}§`), image(`a${spaces}=${spaces}a`), image(`${"=".repeat(2 ** 20)}a`)]).toEqual([
    note,
    note,
    note,
  ]);
});
