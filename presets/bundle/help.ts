/** Run when the command is built: writes the help of `scorel`, of every noun and of every command to stdout, as JSON. */
import manifest from "../../package.json" with { type: "json" };
import { startHost } from "../start/launch.ts";

const kernel = await startHost({ preset: "all", trust: false, verbose: false }, manifest.version, {
  interrupt: new AbortController().signal,
  onUncaught: () => {},
});
const cli = kernel.find("cli");
const table = kernel
  .collect("cliCommands")
  .flatMap(({ value }) =>
    value.flatMap(({ noun, action }) => [
      [noun, cli?.help(noun)],
      ...(action === undefined ? [] : [[`${noun} ${action}`, cli?.help(noun, action)]]),
    ]),
  );
process.stdout.write(JSON.stringify(Object.fromEntries(table)));
await kernel.stop();
