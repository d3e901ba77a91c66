export type ProtocolViolationKind =
  'missing' | 'method' | 'version' | 'nonce' | 'timestamp-format' | 'out-of-bounds' | 'repeated' | 'malformed';

/** Why a request cannot be taken as signed; the message names the parameter and is fit for its sender. */
export class ProtocolViolation {
  constructor(
    readonly kind: ProtocolViolationKind,
    readonly message: string,
  ) {}
}
