/** The file access that a client, such as an editor with unsaved text, offers to a session. */
export interface BufferOffer {
  /** Whether it can read a file as its user sees it, with unsaved changes. */
  reads: boolean;
  /** Whether it can save text to a file, and show it if the file is open. */
  writes: boolean;
}

/** A request to a client: to read a file as its user sees it, or to save a file. */
export interface BufferRequest {
  /** Absolute path, with all links resolved. */
  path: string;
  /** The text to save. Without it, the client returns the text that its user sees. */
  write?: string | undefined;
}

declare module "@scorel/kernel" {
  interface Transients {
    /**
     * Asks the client `asked`, which has offered its buffers. It gets the request with `take_buffer_request`. Other clients ignore the
     * event.
     */
    buffer_request: { requestId: string; asked: string };
  }
}
declare module "@scorel/host/contract" {
  interface Operations {
    /**
     * Lets tools read and write files of the session through this client, such as an editor with unsaved changes. If several clients offer
     * this, the last one is used. The offer ends when the client leaves the session, when the session is reloaded, and when neither `reads`
     * nor `writes` is true.
     */
    offer_buffers: { params: { sessionId: string } & BufferOffer; result: { offered: boolean } };
    /** Returns a request to this client. Throws BUFFERS_CLOSED if it is no longer waiting, or is for another client. */
    take_buffer_request: { params: { sessionId: string; requestId: string }; result: BufferRequest };
    /**
     * Answers a request: with the `text` that was read, without it if the text was written, or with the `reason` of a failure. Throws
     * BUFFERS_CLOSED as `take_buffer_request` does.
     */
    answer_buffer_request: {
      params: { sessionId: string; requestId: string; text?: string | undefined; reason?: string | undefined };
      result: { answered: boolean };
    };
  }
}
