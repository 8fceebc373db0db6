/** Commands of Claude Code's own interface, which are no part of the conversation. Other commands are prompts. */
const OWN = new Set([
  ..."add-dir agents clear compact config context cost doctor effort exit export fast help hooks ide init login logout".split(
    " ",
  ),
  ..."mcp memory model permissions plugin rename resume rewind status statusline terminal-setup theme usage vim".split(
    " ",
  ),
]);
const OUTPUT = /^\s*<(?:local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>/;
const NAME = /<command-name>\s*\/?([^<\s]+)\s*<\/command-name>/;
const ARGS = /<command-args>([^<]*)<\/command-args>/;

/**
 * Reads a message in which Claude Code describes a command that the user typed. Returns the command as it was typed, or undefined for one
 * of the interface or for what a command printed; other messages are returned as they are.
 */
export function typedCommand(words: string): string | undefined {
  if (OUTPUT.test(words)) return undefined;
  const name = /^\s*<command-/.test(words) ? NAME.exec(words)?.[1] : undefined;
  if (name === undefined) return words;
  return OWN.has(name) ? undefined : `/${name} ${ARGS.exec(words)?.[1] ?? ""}`.trim();
}
