import { setMaxListeners } from "node:events";

/**
 * Makes a controller whose signal is aborted when a token ends. Each connection that uses the token listens to the signal, and there may be
 * many.
 */
export function revocation(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
