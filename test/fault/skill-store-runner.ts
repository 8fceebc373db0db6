import { openStore, reach } from "../skill-ground.ts";

/** Adds, updates or removes skills in a separate process: `<home> add|update|remove <source>`. */
const [home = "", action = "", source = ""] = process.argv.slice(2);
const store = openStore(home);
const before = await store.find(source, "/");
if (action === "remove") await store.remove(before?.id ?? "");
else {
  const staged = await store.stage(source, "/", reach);
  await staged.install({ name: "pdf", added: true });
  staged.discard();
}
