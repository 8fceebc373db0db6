/**
 * Loads the scripts that the first view does not need as soon as the page is idle, and not when they are used: by then the host may have
 * ended, another program may listen at its port, or a newer version of the page may have replaced them.
 */
export function loadTheRest(): void {
  // Safari does not support idle callbacks.
  if ("requestIdleCallback" in window) window.requestIdleCallback(preload, { timeout: 2_000 });
  else setTimeout(preload, 200);
}

/** The build has listed these scripts in the page. */
function preload(): void {
  const named = document.querySelector<HTMLMetaElement>('meta[name="scorel-rest"]');
  named?.remove();
  for (const href of (named?.content ?? "").split(" ").filter(Boolean)) {
    const link = Object.assign(document.createElement("link"), { rel: "modulepreload", crossOrigin: "", href });
    document.head.append(link);
  }
}
