export type ProblemKind =
  'missing' | 'method' | 'version' | 'nonce' | 'timestamp-format' | 'out-of-bounds' | 'repeated' | 'malformed';

/** Why a request cannot be taken as signed; the message names the parameter and is fit for its sender. */
export class Problem {
  constructor(
    readonly kind: ProblemKind,
    readonly message: string,
  ) {}
}
