import { it } from "vitest";
import { checkResync } from "../plugins/gateway/resync.ts";

it(
  "loses, doubles and reorders no stored event in 10,000 random sequences of losses and restarts",
  () => checkResync(10_000),
  1_800_000,
);
