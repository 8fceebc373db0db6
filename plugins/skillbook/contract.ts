// This plugin adds commands and no rows; the operations that they ask for are those of `skills`.
export {};
