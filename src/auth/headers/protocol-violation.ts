export type ProtocolViolationKind =
  'missing' | 'method' | 'version' | 'nonce' | 'timestamp-format' | 'out-of-bounds' | 'repeated' | 'malformed';

/** The protocol parameters are invalid. The message names the parameter and may be shown to the client. */
export class ProtocolViolation {
  constructor(
    readonly kind: ProtocolViolationKind,
    readonly message: string,
  ) {}
}
