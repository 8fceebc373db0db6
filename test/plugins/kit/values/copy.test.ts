import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyPlain, frozenCopy, ownCopy } from "../../../../plugins/kit/values/copy.ts";

function scribble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) scribble(inner);
  Reflect.set(value, "scribbled", true);
  if (Array.isArray(value)) value.length = 0;
  else for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}

describe("a plain copy", () => {
  it("is equal, and changes of it do not affect the original", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = structuredClone(value);
        const copy = copyPlain(value);
        expect(copy).toEqual(before);
        scribble(copy);
        expect(value).toEqual(before);
      }),
    );
  });

  it("shares frozen values and values that are not plain data", () => {
    const frozen = Object.freeze({ text: "said" });
    const given = { frozen, signal: new AbortController().signal, when: new Date(0), work: () => 1 };
    const copy = copyPlain(given);
    expect(copy).not.toBe(given);
    for (const key of ["frozen", "signal", "when", "work"] as const) expect(copy[key]).toBe(given[key]);
  });

  it("may contain itself", () => {
    const circle: Record<string, unknown> = { name: "a" };
    circle.self = circle;
    circle.other = [circle, { circle }];
    expect((copyPlain(circle).self as typeof circle).name).toBe("a");
    expect(Object.isFrozen(frozenCopy(circle))).toBe(true);
    expect(Object.isFrozen(circle)).toBe(false);
  });
});

it("a frozen copy cannot be changed, while its original can", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = structuredClone(value);
      const copy = frozenCopy(value);
      try {
        scribble(copy);
      } catch (thrown) {
        // Emptying a frozen list throws; writing to frozen values through Reflect does not.
        expect(thrown).toBeInstanceOf(TypeError);
      }
      expect(copy).toEqual(before);
      expect(value).toEqual(before);
    }),
  );
});

describe("an own copy", () => {
  it("can be changed even if the original is frozen, and shares values that are not plain data", () => {
    const given = Object.freeze({ list: Object.freeze([Object.freeze({ text: "said" })]), when: new Date(0) });
    const copy = ownCopy(given);
    expect(copy).toEqual(given);
    expect([copy, copy.list, copy.list[0]].map(Object.isFrozen)).toEqual([false, false, false]);
    expect(copy.when).toBe(given.when);
  });

  it("may contain itself, and gets no prototype from a field", () => {
    const given = JSON.parse('{"name":"a","__proto__":{"injected":true}}') as Record<string, unknown>;
    given.self = given;
    const copy = ownCopy(given);
    expect(copy.self).toBe(copy);
    expect([Object.keys(copy), copy.injected]).toEqual([["name", "self"], undefined]);
  });
});
