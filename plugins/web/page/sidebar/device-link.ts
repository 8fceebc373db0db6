/** Problems of a host's link that can be found without connecting. */
export type LinkFlaw = "form" | "scheme" | "secret" | "plain" | "host";

/**
 * Returns what is wrong with a link to a host; undefined if nothing is. `scheme` is that of the page: from https:, browsers connect only to
 * encrypted hosts.
 */
export function flawOfLink(link: string, scheme: string): LinkFlaw | undefined {
  const text = link.trim();
  if (!URL.canParse(text) || !text.includes("://")) return "form";
  const { protocol, username, password, search, hash, hostname } = new URL(text);
  if (!/^(?:wss?|https?):$/.test(protocol)) return "scheme";
  if (username || password || search || hash) return "secret";
  if (!/^[a-z\d.-]+$/i.test(hostname)) return "host";
  const isPlain = protocol === "ws:" || protocol === "http:";
  return isPlain && scheme === "https:" && !/^(?:localhost|127\.)/.test(hostname) ? "plain" : undefined;
}
