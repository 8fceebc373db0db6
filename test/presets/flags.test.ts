import { expect, it } from "vitest";
import { readFlags } from "../../presets/start/flags.ts";

it.each<[string[], boolean]>([
  [["-p", "Hello"], true],
  [["-p=Hello"], true],
  [["--print", "Hello"], true],
  [["--print=Hello"], true],
  [["--", "-p"], false],
  [["--printer"], false],
])("a run with %j asks no questions: %j", (words, print) => {
  expect(readFlags(words)).toEqual({ trust: false, verbose: false, print });
});
