import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  ACP_TERMINAL: {
    exit: 2,
    text: () =>
      "`scorel acp` is started by an editor, which talks to it over stdin and stdout. Enter it as the agent's command in the editor, or run `scorel` to chat here.",
  },
  ACP_AWAY: () =>
    "A session was not closed, because its host does not respond. Its conversation is kept there; `scorel host status` shows whether the host is running.",
  ACP_CWD: (a: { cwd: string }) =>
    `A session needs the absolute path of a directory, not "${a.cwd}". Open a folder in the editor.`,
  ACP_SESSION: (a: { sessionId: string }) =>
    `Session ${a.sessionId} is not open here. Open it with session/load or session/resume, or create one with session/new.`,
  ACP_OPEN: (a: { sessionId: string }) => `Session ${a.sessionId} is already open here. Close it first.`,
  ACP_CONTENT: (a: { type: string }) =>
    `A prompt cannot have content of the type "${a.type}". Send text, images, links to files or their text.`,
  ACP_IMAGE: (a: { mimeType: string }) =>
    `An image of the type "${a.mimeType}" cannot be sent: its data is not a PNG, JPEG, GIF or WebP image. Convert it first.`,
  ACP_EMPTY: () => "The prompt is empty. Write something, or attach a file.",
  ACP_OPTION: (a: { option: string }) =>
    `There is no option "${a.option}" in this session. Choose one of the options that it offers.`,
  ACP_VALUE: (a: { option: string; value: string }) =>
    `The option "${a.option}" has no value "${a.value}". Choose one of the values that it offers.`,
  ACP_CURSOR: (a: { cursor: string }) =>
    `"${a.cursor}" is not a cursor of the list of sessions. Omit it to start from the beginning.`,
});
