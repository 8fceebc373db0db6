import type { ViewChange } from "@scorel/host/client";
import { expect, it } from "vitest";
import { Notices } from "../../../plugins/web/page/host/notices.ts";

const passing = (type: string, text: string): ViewChange =>
  ({
    kind: "passing",
    delivered: { event: { type }, display: { display: "notice", level: "error", text } },
  }) as unknown as ViewChange;
const status: ViewChange = { kind: "status" };

it("the failure of a turn that could not be stored stays until the next turn, other notices stay longer", () => {
  const notices = new Notices();
  const texts = () => notices.shown.get().map(({ text }) => text);
  notices.hear(status, true);
  notices.hear(passing("notification", "from a plugin"), true);
  notices.hear(passing("turn_error", "no space"), true);
  notices.hear(status, false);
  expect(texts()).toEqual(["from a plugin", "no space"]);
  notices.hear(status, true);
  expect(texts()).toEqual(["from a plugin"]);
});

it("who comes and goes is no notice", () => {
  const notices = new Notices();
  notices.hear(passing("client_joined", "(terminal is here, too)"), false);
  notices.hear(passing("client_left", "(terminal has left)"), false);
  expect(notices.shown.get()).toEqual([]);
});
