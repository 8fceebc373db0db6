import { placeInput } from "../../plugins/runner/workspace/inputs.ts";
import { makeLayout } from "../../plugins/runner/workspace/layout.ts";

/** Puts a file of a folder into a workspace and prints its path there, or the error: `<folder> <file> <workspace>`. */
const [folder = "", file = "", base = ""] = process.argv.slice(2);
try {
  const ground = { layout: makeLayout(base), artifacts: undefined, host: [folder], skills: {}, earlier: [] };
  process.stdout.write(`${placeInput({ from: `host://${folder}/${file}` }, ground).to}\n`);
} catch (thrown) {
  process.stdout.write(`${(thrown as Error).message}\n`);
}
