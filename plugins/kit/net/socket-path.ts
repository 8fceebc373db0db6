/** The most bytes of a Unix socket's path that all systems support. Node cuts a longer one without an error. */
export const MAX_SOCKET_PATH = 100;
