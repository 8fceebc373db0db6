import { newId } from "@scorel/kernel";

/** Maximum length of a client's name, in characters. */
const MAX_NAME = 24;

/** Makes a program's name safe for ids and terminals: lower-case letters, digits and single hyphens. */
function nameOf(given: string): string {
  const words = given.toLowerCase().match(/[a-z\d]+/g) ?? [];
  return words.join("-").slice(0, MAX_NAME).replace(/-$/, "") || "client";
}

/** Creates an id for a client. It begins with the name, so that logs show what kind of client caused an event. */
export function newClientId(name: string | undefined): string {
  return name === undefined ? newId() : `${name}-${newId()}`;
}

/**
 * The unique names of a host's clients, so that people can tell two terminals apart: `terminal`, `terminal-2`. The host assigns the
 * numbers, since a program could claim any name.
 */
export class ClientNames {
  private readonly taken = new Set<string>();

  /**
   * Returns the given name, with a number if another client has it. A client that connects again asks for the name that it had, whose number
   * is replaced: `terminal-3` does not become `terminal-3-2`.
   */
  take(given: string): string {
    const wanted = nameOf(given);
    const base = wanted.replace(/-\d+$/, "");
    let name = wanted;
    for (let number = 2; this.taken.has(name); number++) name = `${base}-${number}`;
    this.taken.add(name);
    return name;
  }

  /** Makes a name available to other clients. */
  free(name: string): void {
    this.taken.delete(name);
  }
}
