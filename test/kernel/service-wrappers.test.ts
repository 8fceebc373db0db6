import { definePlugin, perPlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { contained, testKernel } from "../harness.ts";

interface Shelf {
  get(name: string): string;
  put(name: string): string;
}
declare module "@scorel/kernel" {
  interface Services {
    shelf: Shelf;
    greet: (name: string) => string;
  }
}

const base = { name: "Test", version: "1.0.0", needs: [] };

class Board implements Shelf {
  private readonly board = "board";
  get(name: string): string {
    return `${this.board}:${name}`;
  }
  put(name: string): string {
    return `put ${name}`;
  }
}

const provider = (sealed = false) =>
  definePlugin({
    ...base,
    id: "provider",
    provides: ["shelf", "greet"],
    activate(ctx) {
      ctx.provide("shelf", new Board(), { sealed });
      ctx.provide("greet", (name) => `hello ${name}`);
    },
  });
const marking = (id: string, mark: string) =>
  definePlugin({
    ...base,
    id,
    serviceWrappers: () => ({ shelf: (shelf) => ({ get: (name) => `${mark}(${shelf.get(name)})` }) }),
  });

it("a service is wrapped once all plugins have started; the first plugin's wrapper is the outermost", async () => {
  const early: unknown[] = [];
  const looks = definePlugin({ ...base, id: "looks", activate: (ctx) => void early.push(ctx.find("shelf")?.get("x")) });
  await using t = await testKernel([marking("a", "A"), provider(), looks, contained(marking("b", "B"))]);
  const shelf = t.kernel.find("shelf");
  expect([early, shelf?.get("x"), shelf?.put("x")]).toEqual([["board:x"], "A(B(board:x))", "put x"]);
  expect(t.kernel.find("shelf")).toBe(shelf);
});

it("a wrapper may come and go while the plugin runs, and goes with its plugin", async () => {
  let undo = async () => {};
  const late = definePlugin({
    ...base,
    id: "late",
    activate(ctx) {
      const remove = ctx.contribute("serviceWrappers", { greet: (greet) => (name: string) => `${greet(name)}!` });
      undo = async () => void (await remove());
    },
  });
  await using t = await testKernel([provider(), late, marking("a", "A")]);
  expect(t.kernel.find("greet")?.("you")).toBe("hello you!");
  await undo();
  expect(t.kernel.find("greet")?.("you")).toBe("hello you");
  await t.kernel.unload("a");
  expect(t.kernel.find("shelf")?.get("x")).toBe("board:x");
  await t.kernel.load({ plugin: marking("a", "A"), origin: "test" });
  expect(t.kernel.find("shelf")?.get("x")).toBe("A(board:x)");
});

it("a host plugin wraps the services of its sessions, and can tell the sessions apart", async () => {
  const host = definePlugin({
    ...base,
    id: "editor",
    serviceWrappers: () => ({ shelf: (shelf, { id }) => ({ get: (name) => `${id} ${shelf.get(name)}` }) }),
  });
  await using parent = await testKernel([host]);
  await using t = await testKernel([provider(), marking("a", "A")], { parent: parent.kernel });
  expect(t.kernel.find("shelf")?.get("x")).toBe(`${t.session.id} A(board:x)`);
});

it.each([
  ["a sealed one", "shelf", provider(true), {}],
  ["one that is given to the kernel", "shelf", marking("other", ""), { services: { shelf: new Board() } }],
])("%s cannot be wrapped", async (_what, name, plugin, options) => {
  await using t = await testKernel([plugin, contained(marking("a", "A"))], options);
  expect(t.kernel.find(name as "shelf")?.get("x")).toBe("board:x");
  expect(t.kernel.failures.find((failure) => failure.plugin === "a")).toMatchObject({ code: "PLUGIN_SEALED" });
});

it("a service that is made for each plugin cannot be wrapped", async () => {
  const plugin = definePlugin({
    ...base,
    id: "provider",
    provides: ["shelf"],
    activate: (ctx) => ctx.provide("shelf", Object.assign(new Board(), { [perPlugin]: () => new Board() })),
  });
  await using t = await testKernel([plugin, contained(marking("a", "A"))]);
  expect(t.kernel.find("shelf")?.get("x")).toBe("board:x");
  expect(t.kernel.failures).toMatchObject([{ plugin: "a", code: "PLUGIN_SEALED" }]);
});

it.each([
  ["throws", () => fail()],
  ["returns nothing", () => undefined],
  ["returns a promise", async () => ({})],
  ["returns a member of another kind", () => ({ get: "x" })],
])("a wrapper that %s is left out and reported", async (_what, wrap) => {
  const wrong = definePlugin({ ...base, id: "wrong", serviceWrappers: () => ({ shelf: wrap as never }) });
  await using t = await testKernel([provider(), contained(wrong), marking("a", "A")]);
  expect(t.kernel.find("shelf")?.get("x")).toBe("A(board:x)");
  expect(t.kernel.failures).toMatchObject([{ plugin: "wrong", where: "serviceWrappers shelf" }]);
});

function fail(): never {
  throw new Error("no");
}

it("a plugin can ask who implements a member of a service: the outermost wrapper that changes it, or the provider", async () => {
  let ask: (member: "get" | "put") => string | undefined = () => "";
  const asks = definePlugin({
    ...base,
    id: "asks",
    activate(ctx) {
      ask = (member) => ctx.providerOf("shelf", member);
    },
  });
  await using t = await testKernel([marking("a", "A"), provider(), asks, contained(marking("b", "B"))]);
  expect([ask("get"), ask("put")]).toEqual(["a", "provider"]);
  await t.kernel.unload("a");
  expect([ask("get"), ask("put")]).toEqual(["b", "provider"]);
});
