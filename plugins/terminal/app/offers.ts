import type { OpenRequest } from "@scorel/host/client";
import { certainLine, certainText } from "../rows/certain.ts";
import { oneLine } from "../rows/safe.ts";
import type { Words } from "../words/words.ts";

/** An answer that a question offers. */
export interface Offer {
  /** The key that gives the answer. */
  key: string;
  /** A digit that gives the answer, too. */
  number: string | undefined;
  label: string;
  value: string;
  /** The user is asked for a reason before the answer is given. */
  asksWhy?: boolean;
  /** Whether the answer may allow something, so that the whole question has to be read before. */
  agrees: boolean;
  /** Whether the answer holds beyond the session. */
  isLasting: boolean;
  /** Where a lasting answer is stored. */
  keptIn: string | undefined;
}
type Option = NonNullable<OpenRequest["options"]>[number];

/** The answers of a question with their keys: its letters, else numbers. Adds a no with a reason if the question takes one. */
export function offersOf(request: OpenRequest, words: Words): Offer[] {
  const options = optionsOf(request, words);
  const isTyped = options.every(({ value }) => /^[a-z0-9]$/i.test(value));
  const taken = new Set(isTyped ? options.map(({ value }) => value) : []);
  const offers = options.map((option, at): Offer => {
    const number = at < 9 && !taken.has(String(at + 1)) ? String(at + 1) : undefined;
    const label = oneLine(known(option.label, request, words));
    const agrees = !option.kind?.startsWith("reject") && option.value !== "n";
    const facts = { agrees, isLasting: option.lasting === true, keptIn: keptIn(request, option.value) };
    return { key: isTyped ? option.value : String(at + 1), number, label, value: option.value, ...facts };
  });
  const no = options.find((option) => takesReason(option, isTyped));
  const free = [..."rw"].find((key) => !offers.some((offer) => offer.key === key));
  if (!no || free === undefined) return offers;
  const named = offers.map((offer) => (offer.value === no.value ? { ...offer, label: words.no } : offer));
  const facts = { agrees: false, isLasting: false, keptIn: undefined, asksWhy: true };
  const number = offers.length < 9 && !taken.has(String(offers.length + 1)) ? String(offers.length + 1) : undefined;
  return [...named, { key: free, number, label: words.noWithReason, value: no.value, ...facts }];
}

/**
 * Text of a question, made certain (see `certainText`) and then translated if it is Scorel's own. In this order, since
 * characters such as a wide comma are written out in texts of others, but belong to Scorel's Chinese texts.
 */
export function known(text: string, { plugin }: OpenRequest, words: Words): string {
  const certain = certainText(text);
  return plugin === "permissions" ? words.known(certain) : certain;
}

function optionsOf({ kind, options = [] }: OpenRequest, words: Words): Option[] {
  if (kind === "input") return [];
  if (kind === "select") return options;
  return [
    { value: "y", label: words.yes },
    { value: "n", label: words.no },
  ];
}

function takesReason({ value, label, message }: Option, isTyped: boolean): boolean {
  return message === true || (isTyped && value === "n" && /reason/.test(label));
}

function keptIn({ data }: OpenRequest, value: string): string | undefined {
  const { keptIn: places } = (data ?? {}) as { keptIn?: Readonly<Record<string, unknown>> };
  const place = typeof places === "object" && places !== null ? places[value] : undefined;
  return typeof place === "string" ? certainLine(place) : undefined;
}
