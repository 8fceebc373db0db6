import { coverExecutor } from "../executors.ts";
import { problemWith } from "../optional.ts";

coverExecutor({ executor: "bubblewrap", confines: true, adds: (work) => ({ PWD: work }) }, problemWith("bubblewrap"));
