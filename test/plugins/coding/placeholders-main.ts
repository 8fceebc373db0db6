import { controlMounts } from "../../../plugins/coding/shell/control-mounts.ts";

/** Protects the control files of a project until a line arrives on stdin. */
const [root = ""] = process.argv.slice(2);
const { release } = await controlMounts(root);
console.log("protected");
process.stdin.once("data", async () => {
  await release();
  console.log("released");
  process.stdin.destroy();
});
