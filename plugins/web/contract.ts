/** Another host that the page can show, besides the one that serves it. */
export interface KnownDevice {
  id: string;
  /** Name for people. */
  name: string;
  /** Its address: `wss://build.example.org:7777`, or with ws:. If `host` is set, the address of a relay. */
  address: string;
  /** Id of a host that is reached through a relay, in base64url. Each browser has to pair with it. */
  host?: string | undefined;
  /** Addresses of the host's other relays, if `host` is set. */
  more?: string[] | undefined;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists the other hosts that the page of this host may connect to; at most 50. Clients with limited scopes get HOST_FORBIDDEN. */
    list_devices: { params: Record<never, never>; result: { devices: KnownDevice[] } };
    /**
     * Allows the page of this host to connect to another host, as soon as the page is reloaded. If the address is known, its name is
     * changed. Tokens are not passed here: each page keeps its own. With `host`, the host is reached through the relay at this address or
     * one of `more`; if the host is known, its name and relays are changed. Throws WEB_DEVICE_ADDRESS, WEB_DEVICE_MANY.
     */
    add_device: {
      params: { name: string; address: string; host?: string | undefined; more?: string[] | undefined };
      result: { device: KnownDevice };
    };
    /**
     * Allows pages that are loaded within the next ten minutes to connect to a relay, to pair with a host there. Clients with limited
     * scopes get HOST_FORBIDDEN. Throws WEB_DEVICE_ADDRESS.
     */
    allow_relay: { params: { address: string }; result: { address: string } };
    rename_device: { params: { id: string; name: string }; result: { device: KnownDevice } };
    /** Removes a host from the list. Pages that are loaded afterwards cannot connect to it. */
    remove_device: { params: { id: string }; result: { removed: boolean } };
    /**
     * Returns the public key by which push services know this host, for `subscribe` of a browser's `PushManager`. Clients that may not
     * answer questions in all sessions get HOST_FORBIDDEN from this operation and those below.
     */
    get_push_key: { params: Record<never, never>; result: { key: string } };
    /**
     * Lets the host send pushes to a browser when a session waits for an answer, or has ended a long turn, while no page of the browser is
     * visible. A push has no content. `page` is the id of the page's token (`tokenId` of the client package); the pushes end with the
     * token. `origin` is the page's origin. Throws WEB_PUSH_SERVICE if the address does not belong to a known push service.
     */
    subscribe_push: { params: { endpoint: string; page: string; origin: string }; result: { id: string } };
    /** Tells the host whether a page is visible. With `inSight`, it counts as visible for a minute. */
    tell_sight: { params: { id: string; inSight: boolean }; result: Record<never, never> };
    /**
     * Keeps the questions of a session open when the last client that answers them has left, as long as the browser with this `id` gets
     * pushes. Otherwise they would be declined.
     */
    attend_by_push: { params: { sessionId: string; id: string }; result: { attended: boolean } };
    unsubscribe_push: { params: { id: string }; result: { ended: boolean } };
  }
}
