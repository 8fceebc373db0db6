import { sessionChange } from "@scorel/kit/schema/session-meta";

/** The schemas of the operations' results. */
export const results = {
  set_thinking: sessionChange,
};
