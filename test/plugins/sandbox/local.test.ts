import { coverExecutor } from "../../executors.ts";

coverExecutor({ executor: "local", confines: false, adds: () => ({}) }, undefined);
