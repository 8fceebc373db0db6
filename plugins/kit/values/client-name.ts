/** A client's name as people see it: the beginning of its id. Undefined for an id without a name. */
export function clientName(clientId: string): string | undefined {
  return /^([a-z\d-]+)-[\dA-Za-z]{16}$/.exec(clientId)?.[1];
}
