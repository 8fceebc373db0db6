import { newId } from "@scorel/kernel";

/** Longest name of a client. */
const MAX_NAME = 24;

/** What a program calls itself, as part of an id and safe on a terminal: lower-case letters, digits and single hyphens. */
function nameOf(given: string): string {
  const words = given.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.join("-").slice(0, MAX_NAME).replace(/-$/, "") || "client";
}

/** A new client's id. It begins with the name, so that logs say what kind of client has caused an event. */
export function newClientId(name: string | undefined): string {
  return name === undefined ? newId() : `${name}-${newId()}`;
}

/**
 * The names of a host's clients. Each has its own, so that people can tell two terminals apart: `terminal`, `terminal-2`. The numbers
 * are the host's, since a program could claim any name.
 */
export class ClientNames {
  private readonly taken = new Set<string>();

  /** Returns the given name, with a number if another client has it. */
  take(given: string): string {
    const wanted = nameOf(given);
    let name = wanted;
    for (let number = 2; this.taken.has(name); number++) name = `${wanted}-${number}`;
    this.taken.add(name);
    return name;
  }

  /** Another client can get the name now. */
  free(name: string): void {
    this.taken.delete(name);
  }
}
