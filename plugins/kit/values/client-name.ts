/** What people are shown of a client: the name at the beginning of its id, or undefined for one that has none. */
export function clientName(clientId: string): string | undefined {
  return /^([a-z\d-]+)-[\dA-Za-z]{16}$/.exec(clientId)?.[1];
}
