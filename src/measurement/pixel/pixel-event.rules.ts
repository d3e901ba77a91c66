import { parseShortJson } from '../../common/http/bodies/parse-json.js';
import { CONVERSIONS_SIZE } from '../conversions/conversions.dto.js';

/** Where and when an event of a browser arrived. */
interface Arrival {
  /** In milliseconds since 1970. */
  at: number;
  address: string;
  agent: string | undefined;
}

/** The fields of an event that a conversion has, too. */
const FIELDS = [
  'event_id',
  'conversion_id',
  'value',
  'price_currency',
  'number_items',
  'description',
  'event_source_url',
];
const IDENTIFIERS = ['twclid', 'hashed_email', 'hashed_phone_number'];
const MAX_AGENT_LENGTH = 2_048;

/** The conversion that a browser reports, in the form of those that servers send. */
export function conversionOfEvent(given: Record<string, unknown>, { at, address, agent }: Arrival): object {
  const sent = FIELDS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]));
  const known = IDENTIFIERS.flatMap((name) => (given[name] === undefined ? [] : [{ [name]: given[name] }]));
  return {
    ...(Object.fromEntries(sent) as object),
    conversion_timestamp: at,
    identifiers: [...known, { ip_address: address, user_agent: (agent ?? 'unknown').slice(0, MAX_AGENT_LENGTH) }],
    contents: contentsOf(given.contents),
  };
}

/** Contents arrive as the text of an array. A text that is none, or too deep, is refused like any other value. */
function contentsOf(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return parseShortJson(given, CONVERSIONS_SIZE.jsonBounds);
  } catch {
    return given;
  }
}
