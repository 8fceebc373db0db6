import { sessionChange } from "@scorel/kit/schema/session-meta";

/** The schemas of what the operations return. */
export const results = {
  set_model: sessionChange,
};
