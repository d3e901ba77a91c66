/** The command cannot be done; the message says why, in a line for the user. Exit code 1. */
export class CommandRefusal extends Error {}

/** The command was not understood: its arguments and options contradict each other. Exit code 2. */
export class Misuse extends Error {}

/** The command ends with this exit code, and everything has been printed. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}
