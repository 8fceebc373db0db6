// This plugin adds only commands; they use the operations of `skills`.
export {};
