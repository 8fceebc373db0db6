import { expect, it } from "vitest";
import { sha256Of } from "../../../../plugins/kit/files/hash.ts";

it("a text has the hash of its bytes in UTF-8, in hexadecimal digits", () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect([sha256Of("abc"), sha256Of(Buffer.from("abc"))]).toEqual([abc, abc]);
  expect(sha256Of("Grüße 漢字")).toBe(sha256Of(Buffer.from("Grüße 漢字")));
});
