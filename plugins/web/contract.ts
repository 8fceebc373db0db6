/** Another host that the page can show, beside the one that serves it. */
export interface KnownDevice {
  id: string;
  /** As people call it. */
  name: string;
  /** Where it listens: `wss://build.example.org:7777`, or with ws:. With `host`, the address of a relay. */
  address: string;
  /** The id of a host that is reached through a relay, in base64url. Each browser pairs with it by itself. */
  host?: string | undefined;
  /** With `host`, the addresses of its other relays. */
  more?: string[] | undefined;
}

declare module "@scorel/host/contract" {
  interface Operations {
    /** Lists the other hosts that the page of this host may connect to; at most 50. Clients with a limited token get HOST_FORBIDDEN. */
    list_devices: { params: Record<never, never>; result: { devices: KnownDevice[] } };
    /**
     * Lets the page of this host connect to another one, from its next loading on. The same address gets the new name. Tokens do not come
     * here: each page has its own. With `host`, it is reached through the relay at this address, or one of `more`, and the same host gets
     * the new name and relays. Throws WEB_DEVICE_ADDRESS and WEB_DEVICE_MANY.
     */
    add_device: {
      params: { name: string; address: string; host?: string | undefined; more?: string[] | undefined };
      result: { device: KnownDevice };
    };
    /**
     * Lets pages that are loaded within the next ten minutes connect to a relay, to pair with a host there. Clients with a limited token
     * get HOST_FORBIDDEN. Throws WEB_DEVICE_ADDRESS.
     */
    allow_relay: { params: { address: string }; result: { address: string } };
    rename_device: { params: { id: string; name: string }; result: { device: KnownDevice } };
    /** Takes a host from the list. Pages that are loaded from then on cannot connect to it. */
    remove_device: { params: { id: string }; result: { removed: boolean } };
    /**
     * Returns the public key by which push services know this host, for `subscribe` of a browser's `PushManager`. Those who may not answer
     * questions in all sessions get HOST_FORBIDDEN, here and from the operations below.
     */
    get_push_key: { params: Record<never, never>; result: { key: string } };
    /**
     * Lets the host push to a browser when a session waits for an answer or has ended a long turn, and no page of the browser is in
     * sight. A push has no content. `page` is the id of the page's token (`tokenId` of the client package), with which the pushes end;
     * `origin` that of the page. Throws WEB_PUSH_SERVICE for an address that is none of a known push service.
     */
    subscribe_push: { params: { endpoint: string; page: string; origin: string }; result: { id: string } };
    /** A page is in sight for a minute after it has said so. */
    tell_sight: { params: { id: string; inSight: boolean }; result: Record<never, never> };
    /**
     * Keeps the questions of a session open when the last client that answers them has gone, as long as `id` is that of a browser which is
     * pushed to. Otherwise they would count as declined.
     */
    attend_by_push: { params: { sessionId: string; id: string }; result: { attended: boolean } };
    unsubscribe_push: { params: { id: string }; result: { ended: boolean } };
  }
}
