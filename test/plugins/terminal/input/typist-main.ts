/**
 * Types a text into a field with a draft, prints `typed`, and runs until it is killed. Arguments: path of the draft,
 * text.
 */

import { openDraft } from "../../../../plugins/terminal/input/draft.ts";
import { desk } from "./desk.ts";

const [path = "", text = ""] = process.argv.slice(2);
const draft = openDraft(path, {
  later: (work) => {
    const soon = setImmediate(work);
    return () => clearImmediate(soon);
  },
});
desk({ draft }).type(text);
setTimeout(() => process.stdout.write("typed\n"), 100);
setInterval(() => {}, 60_000);
