import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';

/** Loaded only when spans are enabled, so that it costs nothing otherwise. */
type Api = typeof OpenTelemetry;

const SCOPE = 'marquee';

let api: Api | undefined;

/** Starts to record spans; undefined stops it. */
export function recordSpansWith(loaded: Api | undefined): void {
  api = loaded;
}

/** Whether spans are recorded. */
export const isTracing = (): boolean => api !== undefined;

/** The description of a span: a name with few values, its kind, and its attributes by OpenTelemetry's conventions. */
export interface SpanOf {
  name: string;
  kind: keyof typeof SpanKind;
  attributes?: Attributes;
}

/** A span for a step, such as a statement; outside requests and jobs there is no span. */
export function traced<R>(span: () => SpanOf, work: () => Promise<R>): Promise<R> {
  if (!api?.trace.getActiveSpan()) return work();
  return recorded(api, api.context.active(), span(), work);
}

/** A root span, such as of a job. */
export function tracedAlone<R>(span: () => SpanOf, work: () => Promise<R>): Promise<R> {
  return api ? recorded(api, api.ROOT_CONTEXT, span(), work) : work();
}

async function recorded<R>({ context, trace }: Api, parent: Context, span: SpanOf, work: () => Promise<R>): Promise<R> {
  const begun = beginSpan(span, parent)!;
  try {
    return await context.with(trace.setSpan(parent, begun), work);
  } catch (error) {
    markFailed(begun, error);
    throw error;
  } finally {
    begun.end();
  }
}

/** Starts a span that the caller ends. Undefined when none are recorded. */
export function beginSpan({ name, kind, attributes }: SpanOf, parent?: Context): Span | undefined {
  if (!api) return undefined;
  return api.trace.getTracer(SCOPE).startSpan(name, { kind: api.SpanKind[kind], attributes }, parent);
}

/** The caller's trace context, from the W3C Trace Context headers. */
export const traceContextOf = (headers: object): Context | undefined =>
  api?.propagation.extract(api.ROOT_CONTEXT, headers);

/** Runs a callback, and all work that follows from it, within a span. */
export function withinSpan(span: Span, callback: () => void): void {
  if (api) api.context.with(api.trace.setSpan(api.context.active(), span), callback);
  else callback();
}

/** Marks a span as failed, with the type of the error only: its message may quote a client's values. */
export function markFailed(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: string | number; name?: string };
  span.setAttribute('error.type', String(code ?? name ?? typeof error));
  if (api) span.setStatus({ code: api.SpanStatusCode.ERROR });
}
