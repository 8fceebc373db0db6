import type { Usage } from "@scorel/messages/contract";

/** Data of the `custom` event of kind `title`: a title was requested and never will be again. */
export interface TitleAsked {
  hidden: true;
  /** `provider/id` of the model that answered, and its usage. */
  model?: string;
  usage?: Usage;
  /** Error code, if there is no title. */
  failed?: string;
}

declare module "@scorel/kernel" {
  interface Projections {
    /** True when a title was requested in this session. */
    titleAsked: boolean;
  }
}
