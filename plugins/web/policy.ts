interface PolicyOptions {
  /** What the page may connect to. */
  connect: readonly string[];
  /** A further source of scripts: the digest of a script inside the page. */
  script?: string;
  /** Whether the page may have a service worker. */
  worker?: boolean;
  /** Whether the policy stands in a header. One inside a page cannot say who may hold the page in a frame. */
  inHeader?: boolean;
}

/**
 * The policy that says what the page may do: run its own scripts and styles, talk to its own host and to the devices that the user has
 * added, and show pictures that it has made of bytes. Nothing else is loaded from anywhere, no text becomes markup, and no other page can
 * hold this one in a frame.
 */
export function policy({ connect, script, worker = true, inHeader = true }: PolicyOptions): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...(script === undefined ? [] : [script])].join(" "),
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    ["connect-src", ...connect].join(" "),
    "manifest-src 'self'",
    `worker-src ${worker ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(inHeader ? ["frame-ancestors 'none'"] : []),
    "require-trusted-types-for 'script'",
    // The one policy of the page makes the address of its service worker, and nothing else.
    `trusted-types ${worker ? "scorel-worker" : "'none'"}`,
  ].join("; ");
}
