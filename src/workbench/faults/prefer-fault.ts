import { invalid } from '../../common/errors/catalogue.js';
import { shown } from '../../common/http/params/refusals.js';
import { CONNECTION_FAULTS, FAULT_PHASES, type ConnectionFault, type FaultPhase } from './fault.entity.js';
import type { InjectedFault } from './injected-fault.js';

/** The id of a fault that a request asks for itself. */
const ID = 'prefer';
const STATUS = /^[45]\d\d$/;

/**
 * The fault that a `Prefer` header asks for (RFC 7240): `fault=503` or `fault=EMPTY_RESPONSE`, with the parameter
 * `applied=AFTER_COMMIT` if the request is to be carried out. Undefined without one; throws 400 for an invalid one.
 */
export function preferredFault(header: string | string[] | undefined): InjectedFault | undefined {
  if (header === undefined) return undefined;
  const text = [header].flat().join(',');
  const preference = text
    .split(',')
    .map((each) => each.split(';').map(nameAndValue))
    .find(([[name]]) => name === 'fault');
  if (!preference) return undefined;
  const [[, value], ...parameters] = preference;
  const applied = new Map(parameters).get('applied') ?? 'BEFORE_COMMIT';
  if (!(FAULT_PHASES as readonly string[]).includes(applied))
    throw invalid('Prefer', `Expected ${FAULT_PHASES.join(' or ')} for applied in Prefer, got ${shown(applied)}`, {
      value: text,
    });
  const fault = { id: ID, applied: applied as FaultPhase, latencyMs: 0 };
  if (STATUS.test(value)) return { ...fault, error: { status: Number(value), code: null } };
  if ((CONNECTION_FAULTS as readonly string[]).includes(value))
    return { ...fault, connection: value as ConnectionFault };
  throw invalid(
    'Prefer',
    `Expected a status from 400 to 599 or one of ${CONNECTION_FAULTS.join(', ')} for fault in Prefer, got ${shown(value)}`,
    { value: text },
  );
}

/** Names are case-insensitive, and values may be quoted. */
function nameAndValue(pair: string): [name: string, value: string] {
  const [name, ...rest] = pair.split('=');
  const value = rest.join('=').trim();
  return [name.trim().toLowerCase(), /^"[^"]*"$/.test(value) ? value.slice(1, -1) : value];
}
