import { expect, it } from "vitest";
import { fitting } from "../../../plugins/web/page/app/fuzzy.ts";

const NAMES = ["Rename the session", "Repair the cart", "the rename of the cart", "Export as HTML", "会话的名称"];

it.each([
  ["", NAMES],
  ["rename", ["Rename the session", "the rename of the cart"]],
  ["cart the", ["Repair the cart", "the rename of the cart"]],
  ["rnm", ["Rename the session", "the rename of the cart"]],
  ["exphtml", ["Export as HTML"]],
  ["名称", ["会话的名称"]],
  ["zzz", []],
])("finds what fits %j, best first", (wanted, found) => {
  expect(fitting(NAMES, wanted, (name) => name)).toEqual(found);
});
