import { fence, heading } from "../markdown.ts";
import { type Page, pluginLinks } from "./page.ts";

export const presets: Page = {
  file: "presets.md",
  title: "Presets",
  about: `A preset names plugins and configures them. \`--preset\` takes the name of one (in \`.scorel/presets\` of a trusted project,
\`~/.scorel/presets\`, or one of these) or the path of a file or folder; the default is \`coding\`. A file with the name of a
shipped preset is a layer over it. A folder with a \`preset.toml\` is a preset that also brings extensions, instructions and
skills: see the [guide](../guide/presets.md). \`scorel preset show <name>\` prints what one comes to.`,
  blocks: (facts) =>
    inOrder(facts.presets).flatMap(({ name, text, plugins }) => [
      heading(2, name),
      fence("toml", text),
      `Loads, in this order: ${pluginLinks(plugins.flatMap((id) => facts.plugins.find((plugin) => plugin.id === id) ?? []))}.`,
    ]),
};

/** From the smallest to the largest preset; presets that are not named here come last. */
const order = ["base", "none", "readonly", "coding", "all"];

function inOrder<P extends { name: string }>(all: readonly P[]): P[] {
  const place = ({ name }: P) => (order.includes(name) ? order.indexOf(name) : order.length);
  return [...all].sort((a, b) => place(a) - place(b));
}
