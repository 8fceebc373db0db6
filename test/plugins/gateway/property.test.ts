import { it } from "vitest";
import { checkResync } from "./resync.ts";

it("loses, doubles and reorders no stored event, and says truly how a client goes on, whatever happens", () =>
  checkResync(300));
