import { Warnings } from "@scorel/host/client";
import { expect, it } from "vitest";

it("a failure is shown once, whether it came as an event, a notice or both", () => {
  const failure = { plugin: "p", where: "display of tool x", code: "EVENT_DISPLAY", message: "no display action" };
  const event = { ...failure, type: "plugin_failure" } as never;
  const notice = {
    origin: failure.where,
    code: failure.code,
    message: 'Plugin "p" failed in display of tool x: no display action',
  };
  const other = { origin: "log", code: "X", message: "another" };
  const warnings = new Warnings();
  expect([warnings.heard(event), warnings.heard(event)]).toEqual([`warning: ${notice.message}`, undefined]);
  expect(warnings.untold([notice, notice, other, other])).toEqual(["warning: another (log)"]);
  expect(new Warnings().untold([notice, notice])).toEqual([`warning: ${notice.message}`]);
});
