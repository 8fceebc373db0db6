/** Names of the tools that Scorel ships; extensions may add more. */
export const OWN_TOOLS: readonly string[] =
  "Bash Edit Glob Grep Read TodoWrite Write skill_load skill_list_docs skill_select_docs skill_search skill_run skill_session".split(
    " ",
  );

/** Names of all tools of Scorel's plugins, with those that only some presets use. */
export const SHIPPED_TOOLS: readonly string[] = [
  ...OWN_TOOLS,
  ..."WebFetch Task MCP ListMcpResources ReadMcpResource".split(" "),
];
