import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';

/** Loaded when spans are wanted and not before, so that whoever wants none pays nothing for them. */
type Api = typeof OpenTelemetry;

const SCOPE = 'marquee';

let api: Api | undefined;

/** From now on spans are recorded; undefined ends that. */
export function recordSpansWith(loaded: Api | undefined): void {
  api = loaded;
}

/** Whether spans are recorded. */
export const isTracing = (): boolean => api !== undefined;

/** A span to be: its name of few values, what kind it is of, and what is known of it, by the names of the conventions. */
export interface SpanOf {
  name: string;
  kind: keyof typeof SpanKind;
  attributes?: Attributes;
}

/** A step of what goes on, such as a statement; what belongs to no request and no job is done without a span. */
export function traced<R>(span: () => SpanOf, work: () => Promise<R>): Promise<R> {
  if (!api?.trace.getActiveSpan()) return work();
  return recorded(api, api.context.active(), span(), work);
}

/** Something that begins by itself, such as a job. */
export function tracedAlone<R>(span: () => SpanOf, work: () => Promise<R>): Promise<R> {
  return api ? recorded(api, api.ROOT_CONTEXT, span(), work) : work();
}

async function recorded<R>({ context, trace }: Api, parent: Context, span: SpanOf, work: () => Promise<R>): Promise<R> {
  const begun = begin(span, parent)!;
  try {
    return await context.with(trace.setSpan(parent, begun), work);
  } catch (error) {
    failed(begun, error);
    throw error;
  } finally {
    begun.end();
  }
}

/** Begins a span that somebody else ends. Undefined where none are recorded. */
export function begin({ name, kind, attributes }: SpanOf, parent?: Context): Span | undefined {
  if (!api) return undefined;
  return api.trace.getTracer(SCOPE).startSpan(name, { kind: api.SpanKind[kind], attributes }, parent);
}

/** What a caller said of the trace that its request belongs to, by the headers of W3C Trace Context. */
export const contextOf = (headers: object): Context | undefined => api?.propagation.extract(api.ROOT_CONTEXT, headers);

/** Runs a callback, and whatever follows from it, within a span. */
export function within(span: Span, callback: () => void): void {
  if (api) api.context.with(api.trace.setSpan(api.context.active(), span), callback);
  else callback();
}

/** Marks a span as failed, by what kind of error: its words may quote what was sent. */
export function failed(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: string | number; name?: string };
  span.setAttribute('error.type', String(code ?? name ?? typeof error));
  if (api) span.setStatus({ code: api.SpanStatusCode.ERROR });
}
