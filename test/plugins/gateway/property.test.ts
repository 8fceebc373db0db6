import { it } from "vitest";
import { checkResync } from "./resync.ts";

it("loses, doubles and reorders no stored event, and reports correctly how a client resumes, whatever happens", () =>
  checkResync(300));
