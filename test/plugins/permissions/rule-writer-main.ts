import type { BaseContext } from "@scorel/kernel";
import { changeFile } from "../../../plugins/host/storage/shared-file.ts";
import { addRules } from "../../../plugins/permissions/rules/rule-file.ts";

/** A session in another process, whose person answers "always" once for each rule. */
const [home = "", ...rules] = process.argv.slice(2);
const services: Record<string, unknown> = { workspace: { home }, sharedFiles: { changeFile } };
const ctx = { find: (name: string) => services[name] } as unknown as BaseContext;
process.stdin.once("data", async () => {
  for (const rule of rules) await addRules([rule], "everywhere", ctx);
  console.log("kept");
  process.exit(0);
});
console.log("ready");
