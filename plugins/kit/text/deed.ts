/** Descriptions of operations for people. Each can follow "may not" or "the request to". */
const DEEDS: Readonly<Record<string, string>> = {
  archive_session: "archive a session",
  answer_request: "answer a question",
  attend_requests: "answer questions",
  cancel: "stop a turn",
  clone_session: "copy a session",
  close_session: "leave a session",
  compact: "shorten the conversation",
  continue_session: "open a session",
  create_session: "begin a session",
  end_shell: "stop a shell line",
  forget_rule: "take back a permission",
  load_session: "open a session",
  move_project: "move a project",
  reload_session: "reload a session",
  rename_session: "rename a session",
  restore_files: "restore files",
  rewrite_queue: "change waiting messages",
  run_command: "run a slash command",
  run_queue: "send the waiting messages",
  run_shell: "run a shell line",
  send_message: "send a message",
  set_model: "change the model",
  set_permission: "change the permission mode",
  set_thinking: "change how hard the model thinks",
  stop_host: "stop the host",
  update_info: "change what is stored about a session",
  view_file: "read a file of the project",
  wait_turn: "wait for an answer",
};

/** Describes what an operation does; undefined for operations that are rarely refused or lost, which messages call by their names. */
export function deedOf(operation: string): string | undefined {
  return Object.hasOwn(DEEDS, operation) ? DEEDS[operation] : undefined;
}

/** Names a request in an error message: `the request to send a message`, `the request "get_prompt"`. */
export function requestFor(operation: string): string {
  const deed = deedOf(operation);
  return deed === undefined ? `the request "${operation}"` : `the request to ${deed}`;
}
