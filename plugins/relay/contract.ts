import type { IncomingMessage, ServerResponse } from "node:http";
import type { Scope } from "@scorel/kit/values/scopes";

/** A paired device: it may reach this host through a relay. */
export interface PairedDevice {
  /** Base64url, 43 characters. */
  id: string;
  name: string;
  scopes: Scope[];
  /** Milliseconds since 1970. */
  pairedAt: number;
  /** For people to compare, such as `7Q2M-K9FV-0CXE-TR4A`. */
  fingerprint: string;
}

/** The state of pairing with a code. */
export type PairingState =
  /** No other device has used the code yet. */
  | { state: "waiting" }
  /** A device has used the code, and the host's user is asked whether to let it in. */
  | { state: "asked"; device: { name: string; fingerprint: string } }
  | { state: "ended"; reason: string };

/** A page that was written to a folder, for a web server to serve. */
export interface WrittenPage {
  /** SHA-256 of its index.html, in hexadecimal digits. */
  hash: string;
  /** Headers that the web server should send with the page. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Files of this version's page for web servers that are not hosts. A browser uses the page to pair with hosts, and reaches them through
 * relays. All methods throw WEB_PAGE_UNBUILT if the page has not been built.
 */
export interface PageFiles {
  /** SHA-256 of index.html in hexadecimal digits. The file contains the digests of all scripts and styles. */
  hash(): Promise<string>;
  /** Writes the files into a folder. Throws WEB_PAGE_FOLDER. */
  write(folder: string): Promise<WrittenPage>;
  /** Answers a request with one of the files, or with an error if there is no such file. */
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
     * Connects this host to one of the given relays, which must have one owner, unless it is connected already. Shows a code with which one
     * device can pair there. Ends the previous code.
     */
    offer_pairing: {
      params: { relays?: string[] | undefined; insecure?: boolean | undefined; name: string };
      result: { code: string; hostId: string; fingerprint: string; relays: string[]; seconds: number };
    };
    /** Returns the state of pairing with a code as soon as it differs from `state`, or after 20 seconds. */
    follow_pairing: { params: { code: string; state: PairingState["state"] }; result: PairingState };
    /** Lets the device that has used the code in, with these scopes, or refuses it. */
    answer_pairing: {
      params: { code: string; accept: boolean; scopes?: Scope[] | undefined };
      result: { device?: PairedDevice | undefined };
    };
    /** Devices that may reach this host through relays, and the host's relays. */
    list_paired_devices: {
      params: Record<string, never>;
      result: { devices: (PairedDevice & { connected: boolean })[]; relays: { address: string; state: string }[] };
    };
    /** Changes the name or the scopes of a device. Its connections are closed; it then connects again. */
    change_paired_device: {
      params: { device: string; name?: string | undefined; scopes?: Scope[] | undefined };
      result: { device: PairedDevice };
    };
    /** Unpairs a device, and closes its connections. */
    revoke_paired_device: { params: { device: string }; result: { device: PairedDevice } };
    /**
     * Returns a new grant in base64url for a paired device, by its id. A grant is not a secret: relays accept it only from the device that
     * it names.
     */
    renew_grant: { params: { device: string }; result: { grant: string } };
    /**
     * Returns the id by which relays know this host, and the host's signature of the client's nonce (32 bytes in base64url). They show that
     * a host which the client reaches directly is one that it is paired with. Empty if the host has never used a relay.
     */
    prove_relay_identity: {
      params: { nonce: string };
      result: { host?: string | undefined; signature?: string | undefined };
    };
    /** Leaves a relay. If its owner has other relays, the host stays connected through them. */
    leave_relay: { params: { relay: string }; result: { left: boolean } };
  }
}
