import { safeText } from "../display/safe.ts";
import { useWords } from "../words/words.ts";

/** Why something could not be read. A session without the plugin for it simply does not have it. */
export function Refusal({ error }: { error: Error & { code?: string } }) {
  const words = useWords();
  if (["HOST_OPERATION_UNKNOWN", "HISTORY_NO_FILES", "COMMAND_UNKNOWN"].includes(error.code ?? ""))
    return <p className="muted">{words.notInSession}</p>;
  return <p role="alert">{safeText(error.message)}</p>;
}
