import { newId } from "@scorel/kernel";

/** Longest name of a client. */
const MAX_NAME = 24;

/** What a program calls itself, as part of an id and safe on a terminal: lower-case letters, digits and single hyphens. */
export function nameOf(given: string): string {
  const words = given.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.join("-").slice(0, MAX_NAME).replace(/-$/, "") || "client";
}

/** A new client's id. It begins with the name, so that logs say what kind of client has caused an event. */
export function newClientId(name: string | undefined): string {
  return name === undefined ? newId() : `${name}-${newId()}`;
}
