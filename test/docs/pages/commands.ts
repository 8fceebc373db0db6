import { fence, heading } from "../markdown.ts";
import { type Page, pluginLinks } from "./page.ts";

export const commands: Page = {
  file: "commands.md",
  title: "Commands",
  about: `The command line as \`--help\` prints it. Commands are contributed by plugins (\`cliCommands\`), so a preset without a
plugin has none of its commands. Exit codes: 0 done, 1 the work failed, 2 usage or configuration, 130 cancelled;
a command with others names them in its line.`,
  blocks: ({ commandLine, plugins }) => {
    const nouns = [...new Set(commandLine.commands.map(({ command }) => command.noun))];
    return nouns.flatMap((noun) => {
      const from = new Set(
        commandLine.commands.filter(({ command }) => command.noun === noun).map(({ plugin }) => plugin),
      );
      return [
        heading(2, noun === "" ? "scorel" : `scorel ${noun}`),
        `From ${pluginLinks(plugins.filter(({ id }) => from.has(id)))}.`,
        fence("text", commandLine.help(noun)),
      ];
    });
  },
};
