import type { Device } from "../host/device.ts";

/** The part of the browser's Trusted Types API that is used here. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(input: string): unknown };
}

/**
 * Lets the browser keep the files of the page, so that it can be opened without the host, and installed as an app. Waits until the host has
 * proved its identity: another program at its address must not get a service worker into the browser. Without workers, the page works as
 * usual.
 */
export function keepPage({ link }: Pick<Device, "link">): void {
  if (!("serviceWorker" in navigator)) return;
  const look = () => {
    if (link.get().state !== "live") return;
    stop();
    // Some browsers refuse this, for example in private windows. Then nothing is kept.
    navigator.serviceWorker.register(workerUrl(), { updateViaCache: "none" }).catch(() => {});
  };
  const stop = link.subscribe(look);
  look();
}

let made: string | undefined;

/** The URL of the service worker. Made once, since a page may have a policy only once, and begins again with another token. */
function workerUrl(): string {
  made ??= makeWorkerUrl();
  return made;
}

/** Makes the URL by the page's Trusted Types policy, which returns this one URL, whatever it is given. */
function makeWorkerUrl(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const make = () => "./worker.js";
  const url = types?.createPolicy("scorel-worker", { createScriptURL: make }).createScriptURL("") ?? make();
  // The types of the DOM library only know strings here.
  return url as string;
}
