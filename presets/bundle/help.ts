/** Run by the build: writes the help texts of `scorel`, of every noun and of every command to stdout, as JSON. */
import manifest from "../../package.json" with { type: "json" };
import { ownStreams, startHost } from "../start/launch.ts";

const { signal } = new AbortController();
const flags = { preset: "all", trust: false, verbose: false };
const kernel = await startHost(flags, manifest.version, signal, await ownStreams());
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
