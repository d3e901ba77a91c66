import type { ApiError } from '../../common/errors/api-error.js';
import { definedErrors } from '../../common/errors/api-error.js';
import { exclusive, inclusive, invalid, missing } from '../../common/errors/catalogue.js';
import { Expect } from '../../common/http/params/constraints.js';
import { toText } from '../../common/http/params/conversions.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Field, Id, Int, OneOf, Text } from '../../common/http/params/fields.js';
import { TokenQuery } from '../../common/list/token-page.js';
import { WEBHOOK_FAULTS, type WebhookFault } from '../../webhooks/deliveries/delivery-faults.js';
import { CONNECTION_FAULTS, FAULT_PHASES, type ConnectionFault, type FaultPhase } from './fault.entity.js';
import { isKnownEvent } from './injected-fault.js';

/** Longest latency, in milliseconds. */
const MAX_LATENCY_MS = 60_000;
const MAX_TTL_SECONDS = 30 * 86_400;

/** The shortest and the longest latency, in milliseconds. */
interface Latency {
  min: number;
  max: number;
}

/** A number of milliseconds, or a range of it. Other values stay unchanged. */
function toLatency(given: unknown): unknown {
  const [, min, max = min] = /^(\d{1,5})(?:\.\.(\d{1,5}))?$/.exec(toText(given) ?? '') ?? [];
  return min === undefined ? given : ({ min: Number(min), max: Number(max) } satisfies Latency);
}

const isLatency = (value: unknown): boolean => {
  const { min, max } = Object(value) as Partial<Latency>;
  return min !== undefined && max !== undefined && min <= max && max <= MAX_LATENCY_MS;
};

const toProbability = (given: unknown): unknown => {
  const text = toText(given) ?? '';
  return text.length <= 20 && /^\d+(\.\d+)?$/.test(text) ? Number(text) : given;
};

const isProbability = (value: unknown): boolean => typeof value === 'number' && value <= 1;

const isEvent = (value: unknown): boolean => typeof value === 'string' && isKnownEvent(value);

/** The parameters of faults in responses, besides the latency. */
const OF_REQUESTS = [
  'operation',
  'error_status',
  'error_code',
  'fault',
  'rate_limit_remaining',
  'rate_limit_reset_in',
] as const;
const OF_WEBHOOKS = ['webhook_id', 'event'] as const;

type WebhookEffects = Pick<
  CreateFault,
  'webhook_fault' | 'latency_ms' | 'applied' | (typeof OF_REQUESTS)[number] | (typeof OF_WEBHOOKS)[number]
>;

/** The problems of a fault that concerns webhooks, or that has parameters of one. */
function webhookProblems(params: WebhookEffects): ApiError[] {
  const { webhook_fault: kind, latency_ms: latency, applied } = params;
  const given = (name: keyof WebhookEffects) => params[name] !== undefined;
  if (kind === undefined) return OF_WEBHOOKS.filter(given).map((name) => inclusive('webhook_fault', name));
  const waits = kind === 'DELAY' || kind === 'DUPLICATE' || kind === 'REORDER';
  return [
    ...OF_REQUESTS.filter(given).map((name) => exclusive('webhook_fault', name)),
    ...definedErrors(
      applied === 'AFTER_COMMIT'
        ? invalid('applied', 'Expected BEFORE_COMMIT for applied with webhook_fault', { value: applied })
        : undefined,
      kind === 'DELAY' && latency === undefined ? inclusive('webhook_fault', 'latency_ms') : undefined,
      latency !== undefined && !waits
        ? invalid('latency_ms', `Expected no latency_ms with ${kind}: it goes with DELAY, DUPLICATE and REORDER`)
        : undefined,
    ),
  ];
}

type Effects = Pick<
  CreateFault,
  | 'latency_ms'
  | 'error_status'
  | 'error_code'
  | 'fault'
  | 'rate_limit_remaining'
  | 'rate_limit_reset_in'
  | 'applied'
  | 'webhook_fault'
>;

/** The problems of what a fault does to responses. */
function effectProblems(effects: Effects): ApiError[] {
  if (effects.webhook_fault !== undefined) return [];
  const { latency_ms, error_status, error_code, fault, rate_limit_remaining, rate_limit_reset_in, applied } = effects;
  const isLimit = rate_limit_remaining !== undefined;
  const isNothing = latency_ms === undefined && error_status === undefined && fault === undefined && !isLimit;
  return definedErrors(
    error_code !== undefined && error_status === undefined ? inclusive('error_code', 'error_status') : undefined,
    error_status !== undefined && fault !== undefined ? exclusive('error_status', 'fault') : undefined,
    isLimit && error_status !== undefined ? exclusive('error_status', 'rate_limit_remaining') : undefined,
    isLimit && fault !== undefined ? exclusive('fault', 'rate_limit_remaining') : undefined,
    !isLimit && rate_limit_reset_in !== undefined
      ? inclusive('rate_limit_reset_in', 'rate_limit_remaining')
      : undefined,
    isLimit && applied === 'AFTER_COMMIT'
      ? invalid('applied', 'Expected BEFORE_COMMIT for applied with rate_limit_remaining', { value: applied })
      : undefined,
    isNothing && error_code === undefined
      ? missing('error_status', 'or one of fault, latency_ms, rate_limit_remaining and webhook_fault')
      : undefined,
  );
}

/** A fault: which requests or deliveries it concerns, and what it does to them. */
@Rule(
  [
    'latency_ms',
    'error_status',
    'error_code',
    'fault',
    'rate_limit_remaining',
    'rate_limit_reset_in',
    'applied',
    'webhook_fault',
  ],
  effectProblems,
)
@Rule(['webhook_fault', 'latency_ms', 'applied', ...OF_REQUESTS, ...OF_WEBHOOKS], webhookProblems)
@Example({ operation: 'listCampaigns', latency_ms: '100..500', times: 3 })
export class CreateFault {
  /**
   * Only requests of this operation: its id, such as `createCampaign`, or a method and a path, such as
   * `POST /12/accounts/*\/campaigns`, in which `*` stands for one segment. By default all operations outside of the
   * workbench.
   */
  @Text({ optional: true, max: 500, example: 'createCampaign' }) operation?: string;

  /** Only requests to this account, or deliveries of its events. */
  @Id({ optional: true }) account_id?: string;

  /** The share of the requests or deliveries that the fault applies to. */
  @Field(
    { convert: toProbability, constraints: () => [Expect('a number between 0 and 1', isProbability)] },
    { optional: true, default: 1, example: 0.5 },
    { type: Number, minimum: 0, maximum: 1 },
  )
  probability = 1;

  /** How often the fault applies. Without it the fault applies until it expires. */
  @Int({ optional: true, min: 1, max: 1_000_000 }) times?: number;

  /**
   * Latency in milliseconds, or a range of it such as `100..500`, at most 60 seconds. With `webhook_fault`, how long a
   * delivery waits.
   */
  @Field(
    {
      convert: toLatency,
      constraints: () => [
        Expect(`a number of milliseconds up to ${MAX_LATENCY_MS}, or a range of it such as 100..500`, isLatency),
      ],
    },
    { optional: true, example: '100..500' },
    { type: String, pattern: '^\\d{1,5}(\\.\\.\\d{1,5})?$' },
  )
  latency_ms?: Latency;

  /** The status of the error that replaces the response. */
  @Int({ optional: true, min: 400, max: 599 }) error_status?: number;

  /** The code of the error: a word for advertising endpoints, a number for all others. By default that of the status. */
  @Text({
    optional: true,
    max: 64,
    orNumber: true,
    matching: { pattern: /^([A-Z][A-Z0-9_]*|[1-9]\d{0,4})$/, what: 'code, such as SERVICE_UNAVAILABLE or 130' },
    example: 'SERVICE_UNAVAILABLE',
  })
  error_code?: string;

  /** What happens to the connection instead of a response. */
  @OneOf(CONNECTION_FAULTS, { optional: true }) fault?: ConnectionFault;

  /**
   * `BEFORE_COMMIT`: the request is not carried out. `AFTER_COMMIT`: the request is carried out, and its response is
   * late, replaced or lost.
   */
  @OneOf(FAULT_PHASES, { optional: true, default: 'BEFORE_COMMIT' }) applied: FaultPhase = 'BEFORE_COMMIT';

  /** The remaining requests that the rate limit headers show. At 0 the response is 429. */
  @Int({ optional: true, min: 0, max: 1_000_000 }) rate_limit_remaining?: number;

  /** Time until the rate limit window of this fault ends, in seconds. The fault ends with it. 900 by default. */
  @Int({ optional: true, min: 1, max: 86_400 }) rate_limit_reset_in?: number;

  /**
   * What happens to deliveries to webhooks, instead of responses. `DELAY`: the event is sent after `latency_ms`. `DROP`:
   * it counts as delivered, and is not sent. `DUPLICATE`: it is sent twice. `REORDER`: it is sent after the next event of
   * the same webhook, or after `latency_ms`, by default 10 seconds. `INVALID_SIGNATURE`: its signatures are wrong.
   */
  @OneOf(WEBHOOK_FAULTS, { optional: true }) webhook_fault?: WebhookFault;

  /** Only deliveries to this webhook. By default those to all webhooks of the application. */
  @Text({ optional: true, max: 100, example: '1146654567674912' }) webhook_id?: string;

  /** Only events of this kind, such as `campaign.update`, or of this entity, such as `campaign.*`. */
  @Field(
    {
      constraints: () => [
        Expect('a kind of event such as campaign.update, or campaign.* for all of an entity', isEvent),
      ],
    },
    { optional: true, example: 'campaign.update' },
    { type: String },
  )
  event?: string;

  /** Time until the fault expires, in seconds. */
  @Int({ optional: true, min: 1, max: MAX_TTL_SECONDS, default: 86_400 }) ttl = 86_400;
}

/** A page of faults. */
export class ListFaults extends TokenQuery {}
