import { customAlphabet } from "nanoid";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Creates a random id: 16 letters and digits (95 bits), safe in file names, globs and command lines. */
export const newId: () => string = customAlphabet(ALPHABET, 16);

/** Whether a value is a valid id, which is safe as part of a path. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9A-Za-z]{8,64}$/.test(value);
}
