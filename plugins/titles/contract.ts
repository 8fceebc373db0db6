import type { Usage } from "@scorel/messages/contract";

/** The data of the `custom` event of the kind `title`: a session was asked about, and is never again. */
export interface TitleAsked {
  hidden: true;
  /** `provider/id` of the model that answered, and what that took. */
  model?: string;
  usage?: Usage;
  /** The code of the error, when there is no title. */
  failed?: string;
}

declare module "@scorel/kernel" {
  interface Projections {
    /** Whether a title was asked for in this session. */
    titleAsked: boolean;
  }
}
