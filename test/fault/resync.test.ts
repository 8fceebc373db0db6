import { it } from "vitest";
import { checkResync } from "../plugins/gateway/resync.ts";

/** `RUNS=10000` tries more sequences, which takes about ten minutes. */
const runs = Number(process.env.RUNS ?? 1_000);

it(
  `loses, doubles and reorders no stored event in ${runs} random sequences of losses and restarts`,
  () => checkResync(runs),
  3_600_000,
);
