/** Run when the command is built: writes the help of `scorel` and of every noun to stdout, as JSON. */
import manifest from "../package.json" with { type: "json" };
import { startHost } from "./launch.ts";

const kernel = await startHost({ preset: "all", trust: false, verbose: false }, manifest.version, {
  interrupt: new AbortController().signal,
});
const cli = kernel.find("cli");
const nouns = new Set(kernel.collect("cliCommands").flatMap(({ value }) => value.map(({ noun }) => noun)));
process.stdout.write(JSON.stringify(Object.fromEntries([...nouns].map((noun) => [noun, cli?.help(noun)]))));
await kernel.stop();
