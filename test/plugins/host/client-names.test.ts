import { expect, it } from "vitest";
import { ClientNames } from "../../../plugins/host/clients/client-id.ts";

it("clients with the same name are told apart by numbers, also after they have connected again", () => {
  const names = new ClientNames();
  expect(["Terminal", "terminal", "terminal", "page"].map((name) => names.take(name))).toEqual([
    "terminal",
    "terminal-2",
    "terminal-3",
    "page",
  ]);
  expect(names.take("terminal-3")).toBe("terminal-4");
  names.free("terminal-2");
  expect([names.take("terminal-3"), names.take("terminal-3")]).toEqual(["terminal-2", "terminal-5"]);
  names.free("terminal-3");
  expect(names.take("terminal-3")).toBe("terminal-3");
});
