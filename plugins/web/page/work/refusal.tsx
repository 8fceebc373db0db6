import { safeText } from "../display/safe.ts";
import { useWords } from "../words/words.ts";

/** Shows why something could not be read. If the session lacks the plugin for it, says so. */
export function Refusal({ error }: { error: Error & { code?: string } }) {
  const words = useWords();
  if (["HOST_OPERATION_UNKNOWN", "HISTORY_NO_FILES", "COMMAND_UNKNOWN"].includes(error.code ?? ""))
    return <p className="muted">{words.notInSession}</p>;
  return <p role="alert">{safeText(error.message)}</p>;
}
