import { expect, it } from "vitest";
import { ALL_RIGHTS, offeredTo } from "../../../plugins/host/client/index.ts";

const question = {
  requestId: "r",
  options: [{ value: "y" }, { value: "s", needs: "set_permission" }, { value: "a", lasting: true }, { value: "n" }],
  fallback: "a",
};
const values = (rights: object) => offeredTo(question, { ...ALL_RIGHTS, ...rights }).options.map(({ value }) => value);

it("a client is offered the answers that its host lets it give", () => {
  expect(values({ lasting: true, operations: "all" })).toEqual(["y", "s", "a", "n"]);
  expect(values({ lasting: false, operations: "all" })).toEqual(["y", "s", "n"]);
  expect(values({ lasting: false, operations: ["answer_request"] })).toEqual(["y", "n"]);
  expect(values({ lasting: false, operations: ["answer_request", "set_permission"] })).toEqual(["y", "s", "n"]);
});

it("a host that does not say so may still refuse an answer", () => {
  expect(offeredTo(question, ALL_RIGHTS)).toBe(question);
});

it("a default that is not offered does not count", () => {
  expect(offeredTo(question, { ...ALL_RIGHTS, lasting: false })).not.toHaveProperty("fallback");
  const other = { ...question, fallback: "n" };
  expect(offeredTo(other, { ...ALL_RIGHTS, lasting: false })).toHaveProperty("fallback", "n");
});
