import { expect, it } from "vitest";
import { Places } from "../../../plugins/subagents/places.ts";

it("a place that is released twice is free once", async () => {
  const places = new Places(1);
  const release = await places.take(new AbortController().signal);
  release();
  release();
  const again = places.takeFree();
  expect([typeof again, places.takeFree()]).toEqual(["function", undefined]);
});
