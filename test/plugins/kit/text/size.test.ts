import { expect, it } from "vitest";
import { sizeText } from "../../../../plugins/kit/text/size.ts";

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1_023, "1023 bytes"],
  [1_024, "1 KiB"],
  [14_541, "14.2 KiB"],
  [1024 ** 2 - 1, "1 MiB"],
  [2.6 * 1024 ** 2, "2.6 MiB"],
  [1024 ** 4 * 5_000, "5000 TiB"],
])("%i bytes are shown as %s", (bytes, shown) => {
  expect(sizeText(bytes)).toBe(shown);
});
