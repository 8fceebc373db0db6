/** The code that people type to pair: the place at the relay, and a secret that the relay never gets. */

import { errors } from "../errors.ts";
import { base32, typedBase32 } from "./base32.ts";
import type { Primitives } from "./primitives.ts";

export const PLACE_DIGITS = 3;
const SECRET_BYTES = 5;
const DIGITS = 11;

export interface PairingCode {
  /** 3 digits. */
  place: string;
  /** 8 digits: 40 bits. */
  secret: string;
}

/** Makes a code for a place that a relay has assigned, with a new secret. */
export function createCode(primitives: Primitives, place: string): PairingCode {
  return { place, secret: base32(primitives.random(SECRET_BYTES)) };
}

/** Formats a code for people: `7Q2-K9FV-0CXE`. */
export function showCode({ place, secret }: PairingCode): string {
  return `${place}-${secret.slice(0, 4)}-${secret.slice(4)}`;
}

/** Parses a code that a person has typed, in upper or lower case, with or without hyphens and spaces. Throws RELAY_CODE_FORM. */
export function parseCode(text: string): PairingCode {
  const digits = typedBase32(text);
  if (digits?.length !== DIGITS) throw errors.RELAY_CODE_FORM();
  return { place: digits.slice(0, PLACE_DIGITS), secret: digits.slice(PLACE_DIGITS) };
}
