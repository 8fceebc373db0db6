interface PolicyOptions {
  /** Sources that the page may connect to. */
  connect: readonly string[];
  /** A further source of scripts: the digest of an inline script. */
  script?: string;
  /** Whether the page may have a service worker. */
  worker?: boolean;
  /** Whether the policy is sent as a header. In a page, `frame-ancestors` has no effect. */
  inHeader?: boolean;
}

/**
 * The content security policy of the page: it may run its own scripts and styles, connect to its own host and to the devices that the user
 * has added, and show images that it has created from bytes. It loads nothing else, no text becomes markup, and no other page can show this
 * one in a frame.
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
    // The page's only Trusted Types policy, which creates the URL of its service worker.
    `trusted-types ${worker ? "scorel-worker" : "'none'"}`,
  ].join("; ");
}
