/** A value in a column of a row that the API would not have stored there. */
export interface ContentProblem {
  column: string;
  /** What is expected and what the column has. */
  message: string;
  value?: unknown;
}
