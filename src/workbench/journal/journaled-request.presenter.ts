import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { enumSchema } from '../../common/http/params/fields.js';
import {
  DELIVERY_STATES,
  type WebhookDeliveryState,
  type WebhookDelivery,
} from '../../webhooks/entities/webhook-delivery.entity.js';
import type { JournaledRequest } from './journaled-request.entity.js';
import { AUTH_SCHEMES, type AuthScheme } from './captured-request.js';
import {
  SIGNATURE_VERDICTS,
  type RecordedBody,
  type RecordedDetail,
  type SignatureVerdict,
} from './recorded-request.js';
import { maskText } from '../../auth/masking.js';
import { repeatCommands } from './repeat-commands.js';

/** A request as lists show it. */
export class JournaledRequestView {
  /** The account in the path, if the caller may access it. */
  @ApiProperty({ ...ID, nullable: true, example: '18ce54d4x5t' }) account_id: string | null;
  /** When the request arrived. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** Time from the arrival of the request to the end of the response, in milliseconds. */
  @ApiProperty({ type: Number, example: 4.2 }) duration_ms: number;
  /** The id of the request in the journal. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** The HTTP method. */
  @ApiProperty({ type: String, example: 'POST' }) method: string;
  /** The path of the URL, without the query. */
  @ApiProperty({ type: String, example: '/12/accounts/18ce54d4x5t/campaigns' }) path: string;
  /** The `x-request-id` of the response. */
  @ApiProperty({ type: String, example: '8f6c1a52-6c0e-4a8e-9f0e-3c0f4a3f2b11' }) request_id: string;
  /** The status of the response. */
  @ApiProperty({ type: 'integer', example: 201 }) status: number;
  /** Whether no endpoint has this path and method. */
  @ApiProperty({ example: false }) unmatched: boolean;
  /** The user who signed the request; null if the signature is invalid, or if an application acts for itself. */
  @ApiProperty({ ...DECIMAL_ID, nullable: true, example: '1000000000000001' }) user_id: string | null;
}

/** A body. Uploads, and bodies of more than 16 KiB, are not kept; of such a response, `text` is the beginning. */
export class RecordedBodyView {
  /** Length in bytes; null if the client did not send it. */
  @ApiProperty({ type: 'integer', nullable: true, example: 38 }) bytes: number | null;
  /** The media type; null if there is none. */
  @ApiProperty({ type: String, nullable: true, example: 'application/json; charset=utf-8' }) content_type:
    string | null;
  /** The text, with `***` in place of secrets and people; null for uploads, and if there is none. */
  @ApiProperty({ type: String, nullable: true, example: '{"data":{"name":"Autumn"}}' }) text: string | null;
  /** Whether `text` is incomplete. */
  @ApiProperty({ example: false }) truncated: boolean;
}

/** What the service found out about the signature. */
export class RecordedSignatureView {
  /** The base string that the service signed, with `***` in place of secrets; null if it did not get that far. */
  @ApiProperty({ type: String, nullable: true, example: 'GET&...&count%3D7' })
  base_string: string | null;
  /** Why the signature was rejected; null if it is valid. */
  @ApiProperty({ type: String, nullable: true, example: 'signature' }) reason: string | null;
  /** `REPLAYED`: the signature is valid, but the nonce was used before, or may have been. */
  @ApiProperty(enumSchema(SIGNATURE_VERDICTS)) @Unescaped() verdict: SignatureVerdict;
}

/** The delivery of an event to a webhook of the application. */
export class RequestDeliveryView {
  /** Number of attempts. */
  @ApiProperty({ type: 'integer', example: 1 }) attempt_count: number;
  /** The HTTP status of the last response; null if there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 200 }) last_status: number | null;
  /** The state of the delivery. */
  @ApiProperty(enumSchema(DELIVERY_STATES)) @Unescaped() state: WebhookDeliveryState;
  /** The id of the webhook. */
  @ApiProperty({ ...DECIMAL_ID, example: '1000000000000001' }) @Unescaped() webhook_id: string;
}

/** A webhook event that the request caused. */
export class RequestEventView {
  /** The deliveries to webhooks of the application. A new event has none until it is dispatched. */
  @ApiProperty({ type: [RequestDeliveryView] }) deliveries: RequestDeliveryView[];
  /** The id of the event. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() event_id: string;
  /** The kind of the event. */
  @ApiProperty({ type: String, example: 'campaign.create' }) kind: string;
}

/** Commands that send the request again. They take keys and secrets from the environment. */
export class RepeatCommandsView {
  /** For curl, with the signature of `marquee sign`. */
  @ApiProperty({ type: String, example: "curl 'http://localhost:3000/12/accounts'" }) curl: string;
  /** For `marquee fixtures`: a file with this request. */
  @ApiProperty({ type: String, example: '{"fixtures":[]}' }) fixture: string;
  /** For the `marquee` command. */
  @ApiProperty({ type: String, example: "npx marquee request GET 'http://localhost:3000/12/accounts'" }) cli: string;
  /** For Node.js, with the package oauth-1.0a. */
  @ApiProperty({ type: String, example: "import OAuth from 'oauth-1.0a';" }) node: string;
  /** For Python, with the package requests-oauthlib. */
  @ApiProperty({ type: String, example: 'from requests_oauthlib import OAuth1Session' }) python: string;
}

/** A request with everything that the journal kept of it. */
export class JournaledRequestDetailView extends JournaledRequestView {
  /** How the client authenticated. */
  @ApiProperty(enumSchema(AUTH_SCHEMES)) @Unescaped() auth_scheme: AuthScheme;
  /** The body, unless it is a form. */
  @ApiProperty({ type: RecordedBodyView }) body: RecordedBodyView;
  /** Commands that send the request again. */
  @ApiProperty({ type: RepeatCommandsView }) commands: RepeatCommandsView;
  /** The webhook events that the request caused, as far as they are changes of accounts; at most 500. */
  @ApiProperty({ type: [RequestEventView] }) events: RequestEventView[];
  /** The fault of the workbench that changed the response: its id, or `prefer`; null without one. */
  @ApiProperty({ type: String, nullable: true, example: null }) fault: string | null;
  /** The headers of the request, with `***` in place of secrets and addresses. */
  @ApiProperty({ type: Object, example: { accept: 'application/json' } }) headers: object;
  /** The parameters of the query and of a form, with `***` in place of secrets and people. */
  @ApiProperty({ type: Object, example: { name: 'Autumn' } }) parameters: object;
  /** The body of the response. */
  @ApiProperty({ type: RecordedBodyView }) response: RecordedBodyView;
  /** The headers of the response. */
  @ApiProperty({ type: Object, example: { 'content-type': 'application/json; charset=utf-8' } })
  response_headers: object;
  /** The signature; null if the request was not signed. */
  @ApiProperty({
    type: RecordedSignatureView,
    nullable: true,
    example: { base_string: 'GET&...&count%3D7', reason: null, verdict: 'VALID' },
  })
  signature: RecordedSignatureView | null;
  /** The URL that the client called, without the query. */
  @ApiProperty({ type: String, example: 'http://localhost:3000/12/accounts' }) url: string;
  /** The `User-Agent` header; null if there is none. */
  @ApiProperty({ type: String, nullable: true, example: 'node' }) user_agent: string | null;
}

/** The number of requests. */
export class RequestCountView {
  /** The number of requests that match all filters. */
  @ApiProperty({ type: 'integer', example: 1 }) count: number;
}

/** An event with its deliveries. */
export interface RequestEvent {
  id: string;
  kind: string;
  deliveries: readonly Row<WebhookDelivery>[];
}

/** A request with its events. */
export interface RequestWithEvents {
  request: Row<JournaledRequest>;
  detail: RecordedDetail;
  /** The URL of the request at this service, whatever host the client named. */
  urlHere: string;
  events: readonly RequestEvent[];
}

export const presentRequest = (request: Row<JournaledRequest>): JournaledRequestView => ({
  account_id: request.accountId,
  created_at: wireTime(request.createdAt),
  duration_ms: request.durationMs,
  id: request.id,
  method: request.method,
  path: maskText(request.path),
  request_id: request.requestId,
  status: request.status,
  unmatched: request.unmatched,
  user_id: request.userId,
});

export const presentRequestDetail = ({
  request,
  detail,
  urlHere,
  events,
}: RequestWithEvents): JournaledRequestDetailView =>
  Object.assign(presentRequest(request), {
    auth_scheme: detail.scheme,
    body: presentBody(detail.body, detail.contentType),
    commands: repeatCommands(request.method, { ...detail, urlHere }),
    events: events.map(presentEvent),
    fault: detail.fault ?? null,
    headers: detail.headers ?? {},
    parameters: detail.parameters,
    response: presentBody(detail.response, detail.response.contentType),
    response_headers: detail.response.headers ?? {},
    signature: detail.signature && {
      base_string: detail.signature.baseString,
      reason: detail.signature.reason,
      verdict: detail.signature.verdict,
    },
    url: detail.url,
    user_agent: detail.userAgent,
  });

const presentBody = ({ bytes, text, truncated }: RecordedBody, contentType: string | null): RecordedBodyView => ({
  bytes,
  content_type: contentType,
  text,
  truncated,
});

const presentEvent = ({ id, kind, deliveries }: RequestEvent): RequestEventView => ({
  deliveries: deliveries.map(({ attempts, lastStatus, state, webhookId }) => ({
    attempt_count: attempts,
    last_status: lastStatus,
    state,
    webhook_id: webhookId,
  })),
  event_id: id,
  kind,
});
