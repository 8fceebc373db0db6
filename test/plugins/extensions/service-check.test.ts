import { describe, expect, it } from "vitest";
import { assertService } from "../../../plugins/extensions/checks/service-check.ts";
import { serviceShapes } from "../../../plugins/extensions/checks/service-shapes.ts";
import { catalogue } from "../../../presets/catalogue.ts";
import { place } from "../../presets/place.ts";
import { desk } from "../../presets/session-desk.ts";

/** An extension that replaces the built-in plugin for images. */
const images = (service: string) => `export default {
  id: "images",
  name: "Mine",
  version: "1.0.0",
  needs: [],
  provides: ["images"],
  activate: (ctx) => ctx.provide("images", ${service}),
};
`;

describe("a service of an extension that replaces a built-in one", () => {
  it.each([
    ["nothing", "null", "it is not an object"],
    ["another kind of thing", '"pictures"', "it is not an object"],
    ["no members", "{}", "it has no show, it has no fit"],
    ["a misspelt member", "{ show() {}, fitt() {} }", 'it has no fit (is "fitt" meant to be it?)'],
    ["a value where a function is called", "{ show() {}, fit: true }", "its fit is not a function"],
  ])("is refused with %s, and the missing members are named", async (_what, service, reason) => {
    using at = place();
    at.file("~/.scorel/config.toml", 'without = ["images"]');
    const file = at.file("~/.scorel/extensions/images.ts", images(service));
    await using d = await desk(at, { preset: "coding" });
    const { sessionId, notices } = await d.client.request("create_session", { cwd: at.project, model: "offline/demo" });
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `"images", which other plugins could not use: ${reason}. docs/reference/services.md describes`,
      ),
    ]);
    expect(notices[0]?.message).toContain(`${file}:7`);
    expect((await d.inside(sessionId)).kernel.find("images")).toBeUndefined();
  });

  it("is accepted with all required members, also of a class, and with more", async () => {
    using at = place();
    at.file("~/.scorel/config.toml", 'without = ["images"]');
    const own = "new (class { show() {} fit() {} more() {} })()";
    at.file("~/.scorel/extensions/images.ts", images(own));
    await using d = await desk(at, { preset: "coding" });
    const { sessionId, notices } = await d.client.request("create_session", { cwd: at.project, model: "offline/demo" });
    expect(notices).toEqual([]);
    expect((await d.inside(sessionId)).kernel.find("images")).toHaveProperty("more");
  });

  it("may be anything if Scorel has no service of that name", () => {
    expect(() => assertService("oracle", 42)).not.toThrow();
  });
});

describe("the built-in services", () => {
  it("have the members that are required of an extension's", async () => {
    using at = place();
    await using d = await desk(at, { preset: "all" });
    const { sessionId } = await d.client.request("create_session", { cwd: at.project, model: "offline/demo" });
    const { kernel } = await d.inside(sessionId);
    const session = await Promise.all(Object.values(catalogue).map(async ({ load }) => (await load()).default));
    const provided = session
      .filter(({ scope }) => scope !== "host")
      .flatMap(({ provides = [] }) => provides)
      .filter((name) => kernel.find(name as never) !== undefined);
    expect(provided.length).toBeGreaterThan(12);
    expect(Object.keys(serviceShapes)).toEqual(expect.arrayContaining(provided));
    for (const name of provided) expect(() => assertService(name, kernel.find(name as never))).not.toThrow();
  });
});
