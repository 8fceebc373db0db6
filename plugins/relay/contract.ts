import type { IncomingMessage, ServerResponse } from "node:http";
import type { Scope } from "@scorel/kit/values/scopes";

/** A device that may reach this host through a relay. */
export interface PairedDevice {
  /** In base64url, 43 characters. */
  id: string;
  name: string;
  scopes: Scope[];
  /** Milliseconds since 1970. */
  pairedAt: number;
  /** What people compare: `7Q2M-K9FV-0CXE-TR4A`. */
  fingerprint: string;
}

/** How far pairing with a code has come. */
export type PairingState =
  /** Nobody has typed the code yet. */
  | { state: "waiting" }
  /** Somebody has. The host's user is asked. */
  | { state: "asked"; device: { name: string; fingerprint: string } }
  | { state: "ended"; reason: string };

/** A page that was written for a web server. */
export interface WrittenPage {
  /** SHA-256 of its index.html, in hexadecimal digits. */
  hash: string;
  /** What the server should send with it. */
  headers: Readonly<Record<string, string>>;
}

/**
 * The page of this version for servers that are no hosts: the browser pairs with hosts, and reaches them through relays. All throw
 * WEB_PAGE_UNBUILT.
 */
export interface PageFiles {
  /** SHA-256 of its index.html, which has the digests of all scripts and styles; in hexadecimal digits. */
  hash(): Promise<string>;
  /** Writes it into a folder. Throws WEB_PAGE_FOLDER. */
  write(folder: string): Promise<WrittenPage>;
  /** Answers a request with one of its files, or says that there is none. */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    /** From plugin `web`. */
    pageFiles: PageFiles;
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Connects this host to one of these relays of one owner, if it is not, and shows a code there, by which one device can pair. Ends a code
     * before it.
     */
    offer_pairing: {
      params: { relays?: string[] | undefined; insecure?: boolean | undefined; name: string };
      result: { code: string; hostId: string; fingerprint: string; relays: string[]; seconds: number };
    };
    /** How far pairing with a code has come, as soon as it is no longer as `state` says, or after 20 seconds. */
    follow_pairing: { params: { code: string; state: PairingState["state"] }; result: PairingState };
    /** Lets the device that has typed the code in, for these scopes, or sends it away. */
    answer_pairing: {
      params: { code: string; accept: boolean; scopes?: Scope[] | undefined };
      result: { device?: PairedDevice | undefined };
    };
    /** The devices that may reach this host through relays, and these relays. */
    list_paired_devices: {
      params: Record<string, never>;
      result: { devices: (PairedDevice & { connected: boolean })[]; relays: { address: string; state: string }[] };
    };
    /** Gives a device another name or other scopes. Its connections are made anew. */
    change_paired_device: {
      params: { device: string; name?: string | undefined; scopes?: Scope[] | undefined };
      result: { device: PairedDevice };
    };
    /** Ends the connections of a device, and lets it in no more. */
    revoke_paired_device: { params: { device: string }; result: { device: PairedDevice } };
    /**
     * A new grant for a device, by its id, that may reach this host through relays; in base64url. A grant is no secret: relays take it
     * from the device that it names and from nobody else.
     */
    renew_grant: { params: { device: string }; result: { grant: string } };
    /**
     * The id by which relays know this host, and its signature of a nonce of the client (32 bytes in base64url): shows that a host which is
     * reached directly is one that the client is paired with. Empty for a host that has never had to do with relays.
     */
    prove_relay_identity: {
      params: { nonce: string };
      result: { host?: string | undefined; signature?: string | undefined };
    };
    /** Leaves a relay; with the others of its owner, the host stays connected. */
    leave_relay: { params: { relay: string }; result: { left: boolean } };
  }
}
