/** Why a command cannot be carried out, in one line for whoever gave it. */
export class Refusal extends Error {}

/** The command was not understood: what is given does not go together. */
export class Misuse extends Error {}

/** The command is over, and what there was to say about it has been said. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}
