import { describe, expect, it } from "vitest";
import { HOST_TOKEN, maskOf } from "../../plugins/model/keys/mask.ts";
import { fc } from "../property.ts";

const longestFirst = (values: readonly string[]) => [...new Set(values)].sort((a, b) => b.length - a.length);

/** Masks a text in the simple way: at each place, every secret is tried, the longest first. */
function simplyMasked(text: string, values: readonly string[]): string {
  let shown = "";
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const token = new RegExp(`^${HOST_TOKEN.source}`).exec(rest)?.[0];
    const found = values.find((value) => rest.startsWith(value)) ?? token;
    shown += found === undefined ? text[at] : "[redacted]";
    at += found?.length ?? 1;
  }
  return shown;
}

// Few different characters, so that secrets overlap, contain each other and begin alike.
const unit = fc.constantFrom("a", "b", "\u00e9", "\ud83d");
const secret = fc.string({ unit, minLength: 8, maxLength: 14 });
const token = `corel_${"a".repeat(43)}`;

/** Secrets, and a text of secrets, beginnings of secrets, tokens of hosts and other characters. */
const secretsAndText = fc.array(secret, { maxLength: 30 }).chain((values) => {
  const parts = [fc.string({ unit, maxLength: 5 }), fc.constantFrom(token, token.slice(0, 30))];
  const some = values.length === 0 ? [] : [fc.constantFrom(...values, ...values.map((value) => value.slice(0, 9)))];
  return fc.tuple(fc.constant(longestFirst(values)), fc.array(fc.oneof(...parts, ...some), { maxLength: 12 }));
});

describe("a mask", () => {
  it("replaces the same as trying every secret at each place", () => {
    fc.assert(
      fc.property(secretsAndText, ([values, parts]) => {
        const text = parts.join("");
        expect(maskOf(values).whole(text)).toBe(simplyMasked(text, values));
      }),
    );
  });

  it("gives out the same in two parts as at once, and holds back only what could be the start of a secret", () => {
    fc.assert(
      fc.property(secretsAndText, ([values, parts]) => {
        const mask = maskOf(values);
        const { ready, held } = mask.split(parts.join(""));
        expect(ready + mask.whole(held)).toBe(simplyMasked(parts.join(""), values));
        const isOpenToken = (rest: string) =>
          new RegExp(`^${HOST_TOKEN.source}$`).test(rest + token.slice(rest.length)) && rest.length < token.length;
        const isOpen = (rest: string) =>
          isOpenToken(rest) || values.some((value) => value !== rest && value.startsWith(rest));
        expect(held === "" || isOpen(held)).toBe(true);
      }),
    );
  });

  it("replaces a secret of 100,000 characters, and one that begins like it", () => {
    const long = "key-0123".repeat(12_500);
    const mask = maskOf([long, "key-0123key-9999"]);
    expect(mask.whole(`<${long}> <key-0123key-9999> <key-0123>`)).toBe("<[redacted]> <[redacted]> <key-0123>");
  });
});
