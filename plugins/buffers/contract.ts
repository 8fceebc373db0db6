/** Whether a client, such as an editor, can read and save files for a session. */
export interface BufferOffer {
  /** It knows the text of a file as its user sees it, which may not be saved. */
  reads: boolean;
  /** It saves a text in a file, and shows it where the file is open. */
  writes: boolean;
}

/** A request to a client: the text of a file as its user sees it, or to save a file. */
export interface BufferRequest {
  /** Absolute, with all links resolved. */
  path: string;
  /** The text to save there; without it, the client tells the text that its user sees. */
  write?: string | undefined;
}

declare module "@scorel/kernel" {
  interface Transients {
    /** The client `asked`, which has offered its buffers, gets what it is asked for with `take_buffer_request`. Others pass over it. */
    buffer_request: { requestId: string; asked: string };
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Lets tools read and write files of the session through this client, such as an editor whose user has not saved everything. Of several
     * clients, the last one is used. Ends when the client leaves the session, when the session is reloaded, and with an offer of nothing.
     */
    offer_buffers: { params: { sessionId: string } & BufferOffer; result: { offered: boolean } };
    /** Returns what this client is asked for. Throws BUFFERS_CLOSED if nobody waits for it any more, or if another client is asked. */
    take_buffer_request: { params: { sessionId: string; requestId: string }; result: BufferRequest };
    /**
     * Answers a request: with the `text` of the file, or that the text is written, or with the `reason` why not. Throws BUFFERS_CLOSED as
     * `take_buffer_request` does.
     */
    answer_buffer_request: {
      params: { sessionId: string; requestId: string; text?: string | undefined; reason?: string | undefined };
      result: { answered: boolean };
    };
  }
}
