import { setMaxListeners } from "node:events";

/** A signal for the end of a token. Each connection that uses the token listens to it, and there may be many. */
export function revocation(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
