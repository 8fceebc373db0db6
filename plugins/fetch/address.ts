import { lineOf } from "@scorel/kit/text/one-line";
import { errors } from "./errors.ts";

/** Most characters of an address in messages. */
const SHOWN = 300;

/** Parses the address of a page, and removes its fragment. Throws FETCH_ADDRESS. */
export function parseAddress(text: string): URL {
  const address = text.trim();
  if (!URL.canParse(address)) throw errors.FETCH_ADDRESS({ reason: "it is not a URL" });
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw errors.FETCH_ADDRESS({ reason: `only http:// and https:// are fetched, not ${url.protocol}//` });
  // A login would be stored in the session and sent to the provider of the model.
  if (url.username !== "" || url.password !== "")
    throw errors.FETCH_ADDRESS({ reason: "it contains a login, which is not sent" });
  url.hash = "";
  // The same host, for which a rule is written without the dot.
  url.hostname = url.hostname.replace(/\.+$/, "");
  return url;
}

/** The address in one line for messages. */
export function shownAddress({ href }: URL): string {
  const line = lineOf(href);
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
}
