import type { Device } from "../host/device.ts";

/** What browsers have of Trusted Types, as far as it is used here. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(input: string): unknown };
}

/**
 * Lets the browser keep the files of the page, so that it can be opened and installed as an app. Waits until the host has proved itself:
 * whoever else listens at its address gets no worker into the browser by this page. Without workers, the page works as before.
 */
export function keepPage({ link }: Pick<Device, "link">): void {
  if (!("serviceWorker" in navigator)) return;
  const look = () => {
    if (link.get().state !== "live") return;
    stop();
    // A browser that refuses, as some private windows do, keeps nothing.
    navigator.serviceWorker.register(workerUrl(), { updateViaCache: "none" }).catch(() => {});
  };
  const stop = link.subscribe(look);
  look();
}

/** The policy of the page allows this one address of a script to be made, whatever is asked for. */
function workerUrl(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const make = () => "./worker.js";
  const url = types?.createPolicy("scorel-worker", { createScriptURL: make }).createScriptURL("") ?? make();
  // The types of the browser know only texts.
  return url as string;
}
