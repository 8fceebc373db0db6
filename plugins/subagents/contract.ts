/** Details of a result of the tool Task. */
export interface TaskDetails {
  /** The session of the subagent. */
  sessionId: string;
}
